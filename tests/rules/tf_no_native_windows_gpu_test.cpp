#include "base/text.hpp"
#include "judge.hpp"
#include "support/given_machine.hpp"
#include "support/rule_test.hpp"

TEST_CASE("tf_no_native_windows_gpu") {
    using namespace rnncheck::test;
    check_rule(
        "tf_no_native_windows_gpu",
        Fires{
            {{"the first without",
              given({"tensorflow=2.11", "os=Windows 10"}),
              "TensorFlow 2.11 does not support CUDA on native Windows"},
             {"a later one",
              given({"tensorflow=2.16.1", "os=windows"}),
              "2.10 was the last version"}}},
        Silent{
            {{"the last with it", given({"tensorflow=2.10", "os=windows"}), ""},
             {"WSL", given({"tensorflow=2.15", "os=wsl2"}), ""},
             {"Linux", given({"tensorflow=2.15", "os=linux"}), ""},
             {"another framework", given({"pytorch=2.4", "os=windows"}), ""},
             {"a machine", a_healthy_machine(), ""}}},
        WhenUndecided{{{"no system", given({"tensorflow=2.15"}), ""}}});
}

TEST_CASE("TensorFlow 2.10 is proposed to no GPU that it has no code for") {
    using namespace rnncheck;
    const auto commands = [](const char* gpu) {
        std::string all;
        const Report report =
            judge(test::given({"tensorflow=2.19", "os=windows", gpu}), Matrix::bundled(), {});
        for (const Finding& finding : report.findings)
            for (const Remedy& remedy : finding.remedies)
                all += join(remedy.commands, "\n") + "\n";
        return all;
    };
    CHECK(contains(commands("gpu=RTX 3090"), "tensorflow<2.11"));
    CHECK(contains(commands("gpu=RTX 3090"), "wsl --install"));
    CHECK_FALSE(contains(commands("gpu=RTX 5090"), "tensorflow<2.11"));
    CHECK(contains(commands("gpu=RTX 5090"), "docker pull nvcr.io/nvidia/tensorflow"));
}
