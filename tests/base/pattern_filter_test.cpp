// The words that a pattern requires are in every text that it matches.
#include "base/pattern_filter.hpp"

#include "support/catch.hpp"

using namespace rnncheck;

namespace {

/// "cuda & (failed | error)"; "" for none.
std::string in_words(const Requirement& requirement) {
    if (requirement.kind == Requirement::word)
        return requirement.text;
    std::string text;
    for (const Requirement& part : requirement.parts) {
        if (!text.empty())
            text += requirement.kind == Requirement::one_of ? " | " : " & ";
        text += part.kind == Requirement::one_of ? "(" + in_words(part) + ")" : in_words(part);
    }
    return text;
}

std::string required(std::string_view pattern) {
    return in_words(requirement_of(pattern));
}

}  // namespace

TEST_CASE("the words that a pattern requires") {
    CHECK(required("CUDNN_STATUS_[A-Z]+ (?:failed|error)") == "cudnn_status_ & (failed | error)");
    CHECK(
        required("lib(?:cudnn|cublas)(?:64)?[.]so") ==
        "libcudnn00.so | libcublas00.so | libcudnn.so | libcublas.so");
    CHECK(required("[cC]ould +not\\s*load\\b") == "couldnotload");
    CHECK(required("sm_(?P<sm>[0-9]{2,3}) is") == "sm_ & is & 0");
    CHECK(required("CUDA 1[12]\\.[0-9]{3}") == "cuda00.000");
    CHECK(required("killed[ :=]9") == "killed0 | killed:0 | killed=0");
    CHECK(required("(?i:OOM)(?:.*| killer)") == "oom");
    CHECK(required("(?i)Gr\xFC.+\xC4") == "gr\xFC & \xE4");
    CHECK(required("ab{x}") == "ab{x}");
    CHECK(required("(?:cuda[a-z]+error|rnn.)s") == "(error & cuda | rnn) & s");
}

TEST_CASE("what may be missing is not required") {
    for (const char* pattern :
         {"",
          "cuda|.",
          "cuda|",
          "(?:cuda)?",
          "(?:cuda)*",
          "(?:cuda){0,3}",
          "[^a]",
          ".*",
          "[a-z]+",
          "\\w+",
          "[cu\\W]"})
        CHECK(required(pattern).empty());
    CHECK(required("cuda(?:nn)*s") == "cuda & s");
    CHECK(required("a.*cuda") == "cuda & a");
    CHECK(required("(?:x.*|)cuda") == "cuda");
    CHECK(required("cu(?:x.*b|da)s") == "cu & (x & b | da) & s");
}

TEST_CASE("rare and wrong syntax requires nothing") {
    for (const char* pattern :
         {"(cuda", "cuda)", "[cuda", "cuda\\", "cuda[[:alpha:]]", "\\Qcuda\\E", "(?P<cuda"})
        CHECK(required(pattern).empty());
}

TEST_CASE("nesting that would exhaust the stack is given up") {
    CHECK(required(std::string(20, '(') + "cuda" + std::string(20, ')')) == "cuda");
    CHECK(required(std::string(1'000'000, '(')).empty());
}

TEST_CASE("a text is searched for words whatever its case, digits and white space are") {
    PatternFilter filter;
    filter.add("CUDA error 35");
    filter.add("sm_");
    filter.add(".*");
    CHECK(filter.candidates("cu da\n Error 70!") == std::vector<std::size_t>{0, 2});
    CHECK(filter.candidates("sm_") == std::vector<std::size_t>{1, 2});
    CHECK(filter.candidates("") == std::vector<std::size_t>{2});
}
