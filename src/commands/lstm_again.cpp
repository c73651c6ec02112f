#include "commands/lstm_again.hpp"

#include <set>

#include "base/shell.hpp"
#include "base/text.hpp"
#include "commands/lstm_case.hpp"

namespace rnncheck {

namespace {

bool several_copies(const Facts& facts) {
    std::set<std::string> copies;
    for (const RnnRun& run : facts.rnn_runs) copies.insert(run.library);
    for (const Cudnn& cudnn : facts.cudnns)
        if (cudnn.rnn_usable == true) copies.insert(cudnn.library);
    return copies.size() > 1;
}

bool several_interfaces(const Facts& facts, const std::string& library) {
    std::set<Dialect> ran;
    for (const RnnRun& run : facts.rnn_runs)
        if (run.library == library) ran.insert(run.dialect);
    for (const Cudnn& cudnn : facts.cudnns)
        if (cudnn.library == library && cudnn.dialects.size() > 1) return true;
    return ran.size() > 1;
}

std::string target_of(const Facts& facts, const RnnRun& run) {
    std::string words = "rnncheck lstm --device " + std::to_string(run.gpu);
    if (several_copies(facts)) words += " --cudnn " + shell_quoted(escaped(run.library, 4096));
    if (several_interfaces(facts, run.library)) words += " --interface " + std::string(name_of(run.dialect));
    return words;
}

}  // namespace

std::string again(const Facts& facts, const RnnRun& run) {
    return target_of(facts, run) + " " + words_of(run.rnn_case);
}

std::string whole_run_again(const Facts& facts, const RnnRun& run) {
    const bool level = facts.rnn_request && facts.rnn_request->cases.empty();
    return level ? target_of(facts, run) + " --level " + std::string(name_of(facts.rnn_request->level))
                 : again(facts, run);
}

std::string copy_and_interface(const Facts& facts, const RnnRun& run) {
    std::string words;
    if (several_copies(facts)) {
        words += ", cuDNN";
        for (const Cudnn& cudnn : facts.cudnns)
            if (cudnn.library == run.library && cudnn.version) words += " " + escaped(cudnn.version->text, 40);
        words += " (" + escaped(run.library, 400) + ")";
    }
    if (several_interfaces(facts, run.library)) words += ", " + std::string(name_of(run.dialect)) + " interface";
    return words;
}

}  // namespace rnncheck
