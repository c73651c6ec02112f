// Judges versions that a person asks about, by the doctor's own rules.
#include <unistd.h>

#include <memory>
#include <sstream>

#include "base/errors.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/color.hpp"
#include "commands/command.hpp"
#include "commands/ids.hpp"
#include "commands/matrix_commands.hpp"
#include "commands/output.hpp"
#include "commands/verdict_code.hpp"
#include "given/given.hpp"
#include "judge.hpp"
#include "report/format.hpp"

namespace rnncheck {

namespace {

struct Asked {
    std::vector<std::string> items;
    std::string folder, fail_on = "error";
    bool json = false, verbose = false;
};

int run(const Asked& asked) {
    const Matrix matrix = asked.folder.empty() ? Matrix::bundled() : Matrix::from_folder(asked.folder);
    const FailOn fail_on = word_from<FailOn>(asked.fail_on, "--fail-on");
    Given given = read_given(asked.items, matrix);
    if (!given.not_understood.empty()) throw UsageError(join(given.not_understood, "; "));
    given.facts.tool.version = version_of_rnncheck();
    const Report report = judge(std::move(given.facts), matrix, {});
    std::ostringstream out;
    (*format_named(asked.json ? "json" : "text"))
        ->write(
            report, out,
            {.color = wants_color(ColorChoice::automatic, STDOUT_FILENO), .verbose = asked.verbose, .quiet = false});
    print_document(out.str());
    return exit_code(report.verdict, fail_on);
}

}  // namespace

std::function<int()> declare_matrix_check(CLI::App& app) {
    const auto asked = std::make_shared<Asked>();
    app.add_option("GIVEN", asked->items,
                   "driver=535 cuda=12.2 cudnn=8.9.7 gpu='RTX 3090' tensorflow=2.15 os=linux python=3.11 dtype=bf16; "
                   "any of them")
        ->type_name("KEY=VALUE")
        ->required();
    app.add_option("--fail-on", asked->fail_on, "Exit with a failure on: error, warning, never")->type_name("WHAT");
    app.add_option("--matrix", asked->folder, "Use the compatibility tables in this folder")->type_name("DIR");
    app.add_flag("--json", asked->json, "As one JSON document")->disable_flag_override();
    app.add_flag("-v,--verbose", asked->verbose, "Tell the evidence and its sources too")->disable_flag_override();
    return [asked] { return run(*asked); };
}

}  // namespace rnncheck
