// A phrase says no only where the pattern cannot match.
#include "log/phrase.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "matrix/matrix.hpp"
#include "support/catch.hpp"
#include "support/text_mutator.hpp"

using namespace rnncheck;
using log_reader::Companion;
using log_reader::look_after;
using log_reader::look_before;
using log_reader::Neighbours;
using log_reader::Phrase;
using log_reader::phrases_of;
using log_reader::Rarity;
using log_reader::Verdict;
using log_reader::WordSearch;

namespace {

bool may_stand(std::string_view pattern, std::string_view text) {
    const auto phrases = phrases_of(pattern);
    return std::any_of(phrases.begin(), phrases.end(), [&](const Phrase& phrase) {
        const auto place = text.find(phrase.core());
        return place != std::string_view::npos && phrase.may_stand(text, place) == Verdict::possible;
    });
}

bool may_follow(const Companion& companion, std::string_view text) {
    const auto first = WordSearch(companion.any_of).find(text, 0, text.size());
    const Companion::Reach reach = companion.reach_after(text, 0, text.size());
    return first && (!reach.is_known || first->end <= reach.at);
}

bool may_precede(const Companion& companion, std::string_view text) {
    const Companion::Reach reach = companion.reach_before(text, 0, text.size());
    return !reach.is_known || WordSearch(companion.any_of).find(text, reach.at, text.size());
}

}  // namespace

TEST_CASE("what stands around the core decides") {
    const char* pattern = "Could not load symbol (?P<symbol>cublas[A-Za-z]+)";
    CHECK(may_stand(pattern, "E: Could not load symbol cublasCreate"));
    CHECK_FALSE(may_stand(pattern, "E: could  now load symbol cublasCreate"));
    CHECK_FALSE(may_stand(pattern, "E: Could not load symbol cudnnCreate"));
    CHECK_FALSE(may_stand(pattern, "cublas"));
}

TEST_CASE("whatever was done to the text, it is not refused") {
    const char* pattern = "Could not load symbol (?P<symbol>cublas[A-Za-z]+)";
    for (const char* text :
         {"Could\nnot load\r\n  symbol cublasCreate", "Cou\nld not load symbol cubl\nasCreate",
          "Could not\n> load symbol\n> cublasCreate", "Could not load symbol \x1B[31mcublas\x1B[0mCreate",
          "Could&nbsp;not load symbol&#10;cublasCreate", "Could not load symbol\\tcublasCreate",
          "Could not load symbol\xC2\xA0"
          "cublasCreate",
          "Could not load <b>symbol</b> cublasCreate", "Could not load \x1B[1msymbol\x1B[0m cublasCreate",
          "\\u001b[1mCould not load symbol cublasCreate", "Could not load symbol [1mcublasCreate",
          "Could\xE2\x80\x8B not load symbol cublasCreate"})
        CHECK(may_stand(pattern, text));
}

TEST_CASE("a code point before a core may stand for what the pattern wants there") {
    const char* pattern = "library '(?:lib)?cudart[.]so";
    CHECK(may_stand(pattern, "log: could not load dynamic library \\u0027libcudart.so.10"));
    CHECK_FALSE(may_stand(pattern, "log: could not load dynamic library /libcudart.so.10"));
}

TEST_CASE("alternatives, optional pieces and sets are understood") {
    const char* loss = "[lL]oss(?: is)? [:=]? [0-9]+\\.[0-9]+";
    CHECK(may_stand(loss, "Loss is = 0.5"));
    CHECK(may_stand(loss, "loss: 12.5"));
    CHECK_FALSE(may_stand(loss, "loss nan"));
    CHECK_FALSE(may_stand(loss, "of the boss: 12.5"));
    CHECK(may_stand("(?:wide)??abcdef", "12abcdef"));
    CHECK(
        may_stand("not load(?: (?:module|library))* (?:[a-z0-9]*/)?nvcuda", "it could not load\x1B[0m library nvcuda"));
    const char* exception =
        "(?:^|\\n) (?:[A-Za-z_][A-Za-z0-9_]*\\.)*(?P<name>[A-Z][A-Za-z0-9_]*(?:Error|Exception)): .{1,160}";
    CHECK(may_stand(exception, "x\n torch.cuda.OutOfMemoryError: none"));
    CHECK(may_stand(exception, "RuntimeError: none"));
    CHECK_FALSE(may_stand(exception, "x\n3 times: a RuntimeError: none"));
    CHECK(may_stand("a{0,3}(?:abcd|efgh)+.{2,5}?xy", "zzefgh12xy"));
    const char* fault = "Xid (?:\\((?:PCI:)?[0-9a-f:.]+\\):|:)? 31";
    for (const char* text : {"NVRM: Xid (PCI:0000:01:00): 31, pid=1", "NVRM: Xid: 31, pid=1", "Xid 31"})
        CHECK(may_stand(fault, text));
    CHECK_FALSE(may_stand(fault, "NVRM: Xid (PCI:0000:01:00): 48, pid=1"));
}

TEST_CASE("the boundary of a word is one") {
    const char* word = "(?:^|\\n|[\\] ])\\b(?:ERROR|[Ee]rror) : [a-z]{3,9}";
    for (const char* text : {"error: none", "an error: none", "[7]Error: none", "it\nerror: none",
                             "\x1B[31merror: none", "&quot;error: none", "\\nerror: none"})
        CHECK(may_stand(word, text));
    CHECK_FALSE(may_stand(word, "a FileNotFoundError: none"));
    CHECK_FALSE(may_stand(word, "it was the dlerror: none"));
    CHECK(may_stand("unknown (?:loss|x)[a-z]*\\b nan\\b", "unknown losses nan, 7"));
}

TEST_CASE("what ends a line ends one") {
    const char* listed = "(?:^|\\n) /[a-z/]{2,200}/libcudnn\\.so\\.(?P<major>[0-9]+)[.0-9]* (?:\\n|$)";
    CHECK(may_stand(listed, "it:\n/usr/lib/libcudnn.so.9.1\nnext"));
    CHECK(may_stand(listed, "it:\n/usr/lib/libcudnn.so.9"));
    CHECK_FALSE(may_stand(listed, "it:\n/usr/lib/libcudnn.so.9: undefined symbol: none"));
}

TEST_CASE("a backslash that escapes nothing is a backslash") {
    const char* version = "torch[ :=]{1,5}[0-9]+\\.[0-9]+";
    CHECK(may_stand(version, "torch\\t1.13"));
    CHECK_FALSE(may_stand(version, "C:\\packages\\torch\\lib\\torch_cpu.dll" + std::string(300, '.')));
}

TEST_CASE("what a pattern wants beyond a gap is looked for no farther away than the gap is long") {
    const Companion after = *phrases_of("Embedding[A-Z]{0,4}: .{0,9}?is illegal").front().companion_after;
    CHECK(after.any_of == std::vector<std::string>{"illegal"});
    for (const char* text : {"EDXY: 123456789is illegal", "\n1 2 3 4 5 6 7 8 9 is ille\ngal",
                             ": \x1B[31m access \x1B[0m is illegal", ": &lt;&lt;access&gt;&gt; is illegal",
                             ": acc\xE2\x80\x8B"
                             "ess\xE2\x80\x8B is illegal"})
        CHECK(may_follow(after, text));
    CHECK_FALSE(may_follow(after, ": an access that is nowhere near is illegal"));
    CHECK_FALSE(may_follow(after, ": access"));

    const Companion before = *phrases_of("illegal .{0,9}? in EmbeddingBackward").front().companion_before;
    CHECK(may_precede(before, "illegal 123456789 in "));
    CHECK(may_precede(before, "ille\ngal &lt;access&gt; in "));
    CHECK_FALSE(may_precede(before, "illegal, as is every other access in "));

    const Companion anywhere = *phrases_of("Embedding.*is illegal").front().companion_after;
    CHECK(may_follow(anywhere, std::string(5000, 'x') + "illegal"));
}

TEST_CASE("a companion with digits, or behind some of them, refutes no line with others") {
    const auto when_missing = [](std::string_view pattern, std::string_view text) {
        const Companion after = *phrases_of(pattern).front().companion_after;
        return after.reach_after(text, 0, text.size()).when_missing;
    };
    CHECK(when_missing("Embedding[a-z]* cu118x", "it: no") == Verdict::refuted);
    CHECK(when_missing("Embedding[0-3a-z]* illegal", "it: no") == Verdict::refuted);
    CHECK(when_missing("Embedding[0-9a-z]* illegal", "it: no") == Verdict::refuted_by_line);
    CHECK(when_missing("Embedding[0-9a-z]* illegal", "it\n1: no") == Verdict::refuted_by_two);
    CHECK(when_missing("Embedding[0-9a-z]* illegal", "it\n1\n2: no") == Verdict::refuted_by_lines);
    CHECK(when_missing("Embedding[0-9a-z]* illegal", "it") == Verdict::refuted_by_lines);
}

TEST_CASE("a word hidden behind bytes that may be its own is looked for among those") {
    const Companion from = *phrases_of("\\) from [a-z./]*libcudnn").front().companion_before;
    CHECK(from.any_of == std::vector<std::string>{"from"});
    for (const char* text : {") from ", ") from /usr/lib/", ") fr\n  om /usr/\n lib/", ") from \x1B[1m/usr: \x1B[0m"})
        CHECK(may_precede(from, text));
    CHECK_FALSE(may_precede(from, ") from: /usr/lib/"));
    CHECK_FALSE(may_precede(from, "from 1: opened /usr/lib/"));

    const Companion after = *phrases_of("libcudnn[a-z./]* from \\(").front().companion_after;
    CHECK(after.any_of == std::vector<std::string>{"from"});
    CHECK(may_follow(after, ".so /usr/\n lib/ from"));
    CHECK_FALSE(may_follow(after, ".so: read from"));
}

TEST_CASE("what a pattern with many ways leaves out is looked for by its rarest words") {
    const std::string failed = "(?:[Uu]nable|[Ff]ailed|[Cc]annot) (?:to )?(?:load|open|find|dlopen)(?: the)* ";
    const std::string names =
        "(?:lib)?(?:cudart|cublas|cufft|curand|cusolver|cusparse)(?:64_[0-9]+|\\.so|\\.dll|\\.lib)";
    for (const Phrase& phrase : phrases_of(failed + names)) {
        REQUIRE(phrase.companion_before);
        CHECK(phrase.companion_before->any_of == std::vector<std::string>{"ailed", "annot", "nable"});
        CHECK(may_precede(*phrase.companion_before, "unable to open the "));
        CHECK(may_precede(*phrase.companion_before, "fai\nled to dlopen "));
        CHECK_FALSE(may_precede(*phrase.companion_before, "Successfully opened the "));
        CHECK_FALSE(may_precede(*phrase.companion_before, "failed: opened the "));
    }
}

TEST_CASE("nothing stands more than three lines away from a core") {
    const char* pattern = "F1 [a-z/]*libcudnn: no";
    CHECK(may_stand(pattern, "log: F1 /a\n/b\n/c\n/libcudnn: no"));
    CHECK_FALSE(may_stand(pattern, "log: F1 /a\n/b\n/c\n/d\n/libcudnn: no"));
    CHECK(may_stand("libcudnn: no[a-z/]* F1", "libcudnn: no\n/a\n/b\n/c F1"));
    CHECK_FALSE(may_stand("libcudnn: no[a-z/]* F1", "libcudnn: no\n/a\n/b\n/c\n/d F1"));
    CHECK(may_stand("(?:^|\\n)abc [a-c]*[d-f]*[g-i]*[j-l]* WXYZQ", "it:\nabc\nWXYZQ\n7"));
    CHECK(may_stand("libcudnn:[0-9]*[a-f]*[i-m]*[.,]*(?:\\n|^)it", "libcudnn:\nit"));
}

TEST_CASE("the quick look at what is next to a core refutes nothing that the whole phrase allows") {
    std::vector<std::string> texts;
    std::ifstream file(std::string(TEST_FOLDER) + "/messages.jsonl");
    for (std::string line; std::getline(file, line);) texts.push_back(nlohmann::json::parse(line)["log"]);
    test::TextMutator mutator(
        texts, {"\n", "\\n", " ", "\x1B[31m", "[0m", "&lt;", "<br>", std::string(1, '\0'), "\xC2\xA0"}, 7);
    std::vector<Phrase> phrases;
    const Matrix bundled = Matrix::bundled();
    for (const LogSignature& row : bundled.log_signatures())
        for (const Phrase& phrase : phrases_of(row.pattern)) phrases.push_back(phrase);
    std::size_t allowed = 0, refuted = 0;
    for (int round = 0; round < 60; ++round) {
        const std::string text = mutator.next();
        for (const Phrase& phrase : phrases)
            for (auto at = text.find(phrase.core()); at != std::string::npos; at = text.find(phrase.core(), at + 1)) {
                Neighbours after, before;
                const bool near_allows =
                    look_after(text, at + phrase.core().size(), phrase.nearest_after(), after) == Verdict::possible &&
                    look_before(text, at, phrase.nearest_before(), before) == Verdict::possible;
                CHECK((near_allows || phrase.may_stand(text, at) != Verdict::possible));
                (near_allows ? allowed : refuted) += 1;
            }
    }
    CHECK(allowed > 100);
    CHECK(refuted > 100);
}

TEST_CASE("what a log is full of is searched for only where there is nothing else") {
    const char* pattern = "CUBLAS_STATUS_EXECUTION_FAILED";
    const std::string first = phrases_of(pattern).front().core();
    Rarity rarity;
    CHECK(rarity.add_frequent(first));
    CHECK_FALSE(rarity.add_frequent(first));
    CHECK(phrases_of(pattern, rarity).front().core() != first);
    CHECK(rarity.add_frequent("cuda"));
    CHECK(phrases_of("[0-9]+ cuda", rarity).front().core() == "cuda");
}

TEST_CASE("a pattern with nothing to search for is refused, and so is one that is not understood") {
    for (const char* pattern :
         {".{3,9}", "[0-9]+ [a-z]+", "ab|cde", "(?:abc", "abc)", "(?i)abc", "\\wabc", "ab\\", "abc{x}", "abc{2"})
        CHECK_THROWS_AS(phrases_of(pattern), InputError);
}
