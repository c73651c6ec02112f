// Properties of verdicts about named releases, over everything that the tables know.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/text.hpp"
#include "judge.hpp"
#include "support/catch.hpp"
#include "support/given_machine.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

using Outcomes = std::map<std::string, Outcome>;

const Matrix& tables() {
    static const Matrix bundled = Matrix::bundled();
    return bundled;
}

/// What the rules answer about specified versions.
Outcomes requested(const Facts& facts) {
    Outcomes outcomes;
    for (const auto& rule : all_rules())
        if (!rule->what_if_inputs.empty())
            outcomes[std::string(rule.name)] = rule->check(facts, tables()).outcome;
    return outcomes;
}

std::vector<Version> cudas() {
    std::vector<Version> all;
    for (int major = 9; major <= 13; ++major)
        for (int minor = 0; minor <= 9; ++minor)
            if (const Version cuda = make_version({major, minor}); tables().driver_for_cuda(cuda))
                all.push_back(cuda);
    return all;
}

std::vector<Version> drivers() {
    std::vector<Version> all;
    for (const int branch : {384, 418, 450, 470, 515, 525, 535, 550, 570, 575, 580, 590})
        if (tables().cuda_of_driver(make_version({branch})))
            all.push_back(make_version({branch, 10}));
    return all;
}

}  // namespace

TEST_CASE("the rules on the driver agree: a CUDA runs in full, in part, or not at all") {
    for (const Version& cuda : cudas())
        for (const Version& driver : drivers()) {
            INFO("driver " << driver.text << ", CUDA " << cuda.text);
            const Outcomes outcomes =
                requested(given({"driver=" + driver.text, "cuda=" + cuda.text}));
            const Outcome compatibility = outcomes.at("minor_version_compatibility");
            const bool runs = compatibility == Outcome::pass || compatibility == Outcome::fault;
            CHECK(runs == (outcomes.at("driver_too_old") == Outcome::pass));
        }
}

TEST_CASE("a newer driver never takes away what an older one ran") {
    for (const Version& cuda : cudas()) {
        bool ran = false;
        for (const Version& driver : drivers()) {
            INFO("driver " << driver.text << ", CUDA " << cuda.text);
            const bool runs = requested(given({"driver=" + driver.text, "cuda=" + cuda.text}))
                                  .at("driver_too_old") == Outcome::pass;
            CHECK((runs || !ran));
            ran = runs;
        }
    }
}

TEST_CASE("no GPU is both too old and too new for one thing") {
    std::vector<std::string> things;
    for (const Version& cuda : cudas())
        things.push_back("cuda=" + cuda.text);
    for (const char* cudnn :
         {"7.6.5", "8.0.5", "8.4.1", "8.9.7", "9.1.0", "9.10.2", "9.11.0", "9.12.0", "9.27.0"})
        things.push_back(std::string("cudnn=") + cudnn);
    for (const char* framework :
         {"pytorch=1.13+cu117",
          "pytorch=2.4+cu124",
          "pytorch=2.8+cu128",
          "tensorflow=2.10",
          "tensorflow=2.18"})
        things.emplace_back(framework);
    for (const std::string& thing : things)
        for (const Architecture& gpu : tables().architectures()) {
            INFO(thing << ", GPU " << gpu.capability.text);
            const Outcomes outcomes =
                requested(given({thing, "gpu=" + gpu.capability.text, "os=linux"}));
            const bool too_old = outcomes.at("gpu_too_old") == Outcome::fault;
            const bool too_new = outcomes.at("gpu_arch_not_in_build") == Outcome::fault;
            CHECK_FALSE((too_old && too_new));
        }
}

TEST_CASE("no cuDNN is both older than a framework wants and newer than it knows") {
    for (const char* framework :
         {"tensorflow=1.15",
          "tensorflow=2.3",
          "tensorflow=2.10",
          "tensorflow=2.15",
          "tensorflow=2.18"})
        for (const char* cudnn :
             {"7.4.1", "7.6.5", "8.0.5", "8.1.0", "8.6.0", "8.9.7", "9.1.0", "9.3.0", "9.27.0"}) {
            INFO(framework << ", cuDNN " << cudnn);
            const Outcomes outcomes =
                requested(given({framework, std::string("cudnn=") + cudnn, "os=linux"}));
            CHECK_FALSE(
                (outcomes.at("cudnn_runtime_older_than_built") == Outcome::fault &&
                 outcomes.at("cudnn_newer_than_framework_supports") == Outcome::fault));
        }
}

/// Each is at fault for two of its releases alone; a third would be a question of its own, with an
/// answer of its own.
TEST_CASE("a version that is not specified never turns a fault into a pass") {
    const std::vector<std::vector<std::string>> faulty = {
        {"driver=470", "cuda=12.4"},
        {"driver=575", "cuda=13.0"},
        {"driver=535", "gpu=12.0"},
        {"driver=580", "gpu=3.5"},
        {"driver=418", "pytorch=2.4", "os=linux"},
        {"cudnn=9.11.0", "gpu=6.1"},
        {"cuda=12.0", "gpu=3.5"},
        {"cuda=11.0", "gpu=9.0"},
        {"cudnn=8.2.4", "cuda=12.0"},
        {"pytorch=2.6+cu124", "gpu=12.0", "os=linux"},
        {"tensorflow=2.10", "cudnn=9.1.0", "os=linux"},
        {"tensorflow=2.15", "cudnn=8.6.0", "os=linux"},
        {"tensorflow=2.10", "cuda=12.4", "os=linux"},
        {"tensorflow=2.10", "python=3.12", "os=linux"},
        {"tensorflow=2.11", "os=windows"},
        {"pytorch=2.4", "cudnn=8.9.7", "os=linux"},
        {"dtype=bf16", "cudnn=9.12.0"},
        {"dtype=bf16", "gpu=7.5"}};
    for (const auto& items : faulty) {
        const Outcomes before = requested(given(items));
        CHECK(std::any_of(before.begin(), before.end(), [](const auto& one) {
            return one.second == Outcome::fault;
        }));
        for (std::size_t i = 0; i < items.size(); ++i) {
            std::vector<std::string> fewer = items;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            for (const auto& [rule, outcome] : requested(given(fewer))) {
                INFO(rule << " without " << items[i]);
                CHECK_FALSE((before.at(rule) == Outcome::fault && outcome == Outcome::pass));
            }
        }
    }
}

namespace {

/// What people specify: of each key one value, or nothing.
const std::vector<std::vector<std::string>> named_values = {
    {"driver=390",
     "driver=418.40",
     "driver=450.80.02",
     "driver=470.256.02",
     "driver=525.60.13",
     "driver=535.104.05",
     "driver=550.54.14",
     "driver=575.51.03",
     "driver=580.65.06",
     "driver=452.39",
     "driver=528.33",
     "driver=551.61",
     "driver=570.26",
     "driver=9999"},
    {"cuda=9.0",
     "cuda=10.0",
     "cuda=10.1",
     "cuda=11.0",
     "cuda=11.2",
     "cuda=11.8",
     "cuda=12.0",
     "cuda=12.4",
     "cuda=12.6",
     "cuda=12.8",
     "cuda=13.0",
     "cuda=99.0"},
    {"cudnn=7.4.2",
     "cudnn=7.6.5",
     "cudnn=8.0.5",
     "cudnn=8.1.0",
     "cudnn=8.6.0",
     "cudnn=8.9.7",
     "cudnn=9.1.0",
     "cudnn=9.3.0",
     "cudnn=9.10.2",
     "cudnn=9.11.0",
     "cudnn=9.12.0",
     "cudnn=9.19.0",
     "cudnn=99.0"},
    {"gpu=3.5",
     "gpu=3.7",
     "gpu=5.2",
     "gpu=6.1",
     "gpu=7.0",
     "gpu=7.5",
     "gpu=8.0",
     "gpu=8.6",
     "gpu=8.7",
     "gpu=8.9",
     "gpu=9.0",
     "gpu=10.0",
     "gpu=12.0",
     "gpu=99.0"},
    {"tensorflow=1.15",   "tensorflow=2.3",  "tensorflow=2.10",   "tensorflow=2.11",
     "tensorflow=2.15",   "tensorflow=2.18", "pytorch=1.8",       "pytorch=1.13+cu117",
     "pytorch=2.0",       "pytorch=2.4",     "pytorch=2.6+cu124", "pytorch=2.7",
     "pytorch=2.8+cu128", "pytorch=2.8+cpu", "jax=0.4.30",        "jax=0.7.0",
     "onnxruntime=1.20",  "ctranslate2=4.5", "paddlepaddle=3.0",  "cupy=13.0",
     "mxnet=1.9",         "tensorflow=99.0"},
    {"os=linux", "os=windows", "os=macos"},
    {"python=2.7", "python=3.6", "python=3.8", "python=3.11", "python=3.12", "python=3.14"},
    {"dtype=fp32", "dtype=fp16", "dtype=bf16"},
    {"masked=yes", "masked=no"}};

std::vector<std::string> random_values(std::mt19937& random) {
    std::vector<std::string> output;
    for (const auto& values : named_values)
        if (random() % 3 > 0)
            output.push_back(values[random() % values.size()]);
    // A driver of three numbers is one of Linux: nobody has it on Windows.
    const bool of_linux =
        !output.empty() && std::count(output[0].begin(), output[0].end(), '.') == 2;
    if (of_linux)
        std::erase(output, "os=windows");
    return output;
}

Outcome outcome_of(std::string_view rule, const std::vector<std::string>& output) {
    const auto& rules = all_rules();
    const auto found =
        std::find_if(rules.begin(), rules.end(), [&](const auto& one) { return one.name == rule; });
    return (*found)->check(given(output), tables()).outcome;
}

std::vector<std::string> without(std::vector<std::string> output, std::size_t index) {
    output.erase(output.begin() + static_cast<std::ptrdiff_t>(index));
    return output;
}

/// The fewest of these values with which the rule still finds its fault.
std::vector<std::string> least_for_fault(std::string_view rule, std::vector<std::string> output) {
    for (std::size_t i = 0; i < output.size();) {
        if (outcome_of(rule, without(output, i)) == Outcome::fault)
            output = without(output, i);
        else
            ++i;
    }
    return output;
}

}  // namespace

/// With other values around it, what is left may be a question of its own with a good answer; with
/// the fewest that are at fault, it may not.
TEST_CASE("of the fewest values that are at fault, none can be left out for a pass") {
    std::mt19937 random(3);
    std::set<std::vector<std::string>> seen;
    for (int round = 0; round < 3000; ++round) {
        const std::vector<std::string> output = random_values(random);
        for (const auto& [rule, outcome] : requested(given(output))) {
            if (outcome != Outcome::fault)
                continue;
            const std::vector<std::string> least = least_for_fault(rule, output);
            if (!seen.insert(least).second)
                continue;
            for (std::size_t i = 0; i < least.size(); ++i) {
                INFO(rule << ": " << join(least, " ") << " without " << least[i]);
                CHECK(outcome_of(rule, without(least, i)) != Outcome::pass);
            }
        }
    }
    CHECK(seen.size() > 500);
}
