// The data type wanted has no recurrent kernel here.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/framework_support.hpp"

namespace rnncheck::rules {

static Finding not_offered(const std::string& dtype, const RnnLimit& limit, const std::string& what,
                           Evidence evidence) {
    Finding finding;
    finding.subject = dtype;
    finding.message = what + " has no recurrent networks of type " + dtype + "; they begin with cuDNN " +
                      limit.first.text +
                      (limit.capability_min ? " and compute capability " + limit.capability_min->text : "");
    finding.evidence = {std::move(evidence), {"recurrent networks of type " + dtype, limit.rule, limit.source.url}};
    finding.remedies = {{.text = "Use fp32 or fp16 for the recurrent layers, or what the first line names",
                         .commands = {},
                         .verify = "rnncheck doctor",
                         .link = limit.source.url}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return not_applicable(about_named_releases);
    if (!facts.network || !facts.network->dtype) return undecided("no data type was given");
    const Version* cudnn = given_cudnn(facts);
    const Gpu* gpu = given_gpu(facts);
    if (!cudnn && !gpu) return undecided("neither cuDNN nor a GPU was given");
    const std::string dtype(name_of(*facts.network->dtype));
    Answers answers;
    if (cudnn) {
        const Coverage coverage = matrix.cudnn_build(*cudnn, 0).coverage;
        if (coverage != Coverage::known && coverage != Coverage::silent)
            answers.outside(outside_data("cuDNN " + cudnn->text, coverage, matrix));
    }
    const auto limit = matrix.rnn_limit(dtype);
    if (cudnn && limit && *cudnn < limit->first)
        answers.fault(not_offered(dtype, *limit, "cuDNN " + cudnn->text, {"cuDNN", cudnn->text, "cudnns"}));
    if (gpu && limit && limit->capability_min && *gpu->compute_capability < *limit->capability_min)
        answers.fault(not_offered(dtype, *limit, words_of(*gpu),
                                  {"compute capability", gpu->compute_capability->text, "gpus[0].compute_capability"}));
    answers.good("nothing speaks against recurrent networks of type " + dtype);
    return answers.close();
}

extern const Rule rnn_dtype_not_supported{.title = "Recurrent networks of this data type are not offered here",
                                          .layer = Layer::rnn,
                                          .worst = Severity::error,
                                          .needs = Stage::look,
                                          .check = check,
                                          .asks = "dtype=, and cudnn= or gpu="};

}  // namespace rnncheck::rules
