#include "rules/causes/log_resemblance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "matrix/matrix.hpp"

namespace rnncheck::rules {

namespace {

using WordCounts = std::map<std::string, int, std::less<>>;
using Weights = std::map<std::string, double, std::less<>>;

constexpr std::size_t most_words = 5, shortest_word = 3;
/// Below these the right cause is rarely among the first three.
constexpr std::size_t least_words = 2;
constexpr double least_similarity = 0.15;
/// Words of any sentence about an error: what two texts have in common by them means nothing.
constexpr std::string_view common_words[] = {
    "after", "and",    "any",      "are",    "before", "but",   "can",   "cannot", "could",
    "does",  "error",  "errors",   "failed", "file",   "for",   "found", "from",   "has",
    "have",  "here",   "import",   "into",   "its",    "name",  "non",   "not",    "only",
    "other", "please", "returned", "should", "status", "than",  "that",  "the",    "then",
    "there", "this",   "was",      "were",   "when",   "which", "will",  "with",   "without",
    "would", "you",    "your",     "zero"};

/// A text of one cause: an alternative of a pattern, or the cause's own description.
struct KnownText {
    std::string cause;
    WordCounts words;
};

/// Runs of at least three letters in lower case, and pairs of neighbours: "such", "file" and
/// "such~file".
WordCounts words_of(std::string_view text) {
    WordCounts counts;
    std::string word, before;
    const auto take = [&] {
        if (word.size() >= shortest_word) {
            ++counts[word];
            if (!before.empty())
                ++counts[concat(before, "~", word)];
            before = word;
        }
        word.clear();
    };
    for (const char c : lower(text)) {
        if (c >= 'a' && c <= 'z')
            word += c;
        else
            take();
    }
    take();
    return counts;
}

/// The cause that a symptom is, or that the table log_evidence puts first for it; "" where none.
std::string cause_of_symptom(const std::string& symptom, const Matrix& matrix) {
    if (find_by(matrix.log_causes(), &LogCause::cause, symptom))
        return symptom;
    for (const auto column : {&LogEvidence::certain, &LogEvidence::likely, &LogEvidence::possible})
        for (const LogEvidence& row : matrix.log_evidence())
            if (row.symptom == symptom && !(row.*column).empty())
                return split(row.*column, ' ').front();
    return "";
}

std::string cause_of_signature(const LogSignature& signature, const Matrix& matrix) {
    std::string cause = cause_of_symptom(signature.id, matrix);
    for (const std::string& symptom : split(signature.symptoms, ' '))
        if (cause.empty())
            cause = cause_of_symptom(symptom, matrix);
    return cause;
}

std::vector<KnownText> examples_of(const Matrix& matrix) {
    std::vector<KnownText> examples;
    for (const LogSignature& signature : matrix.log_signatures()) {
        const std::string cause = cause_of_signature(signature, matrix);
        if (cause.empty() || signature.kind == "harmless")
            continue;
        for (const std::string& text : words_of_pattern(signature.pattern))
            examples.push_back({cause, words_of(concat(text, " ", signature.meaning))});
    }
    for (const LogCause& cause : matrix.log_causes())
        examples.push_back(
            {cause.cause,
             words_of(
                 concat(cause.title, " ", cause.message, " ", cause.knows, " ", cause.means))});
    return examples;
}

/// What is rare in the examples weighs more. The weights are scaled to length 1.
Weights weights_of(
    const WordCounts& counts, const WordCounts& examples_with, std::size_t examples) {
    Weights weights;
    double sum_of_squares = 0;
    for (const auto& [word, count] : counts) {
        const int* with = look_up(examples_with, word);
        if (!with)
            continue;
        const double rarity = std::log(static_cast<double>(examples) / (1 + *with));
        const double weight = (1 + std::log(count)) * rarity;
        weights[word] = weight;
        sum_of_squares += weight * weight;
    }
    if (sum_of_squares > 0)
        for (auto& [word, weight] : weights)
            weight /= std::sqrt(sum_of_squares);
    return weights;
}

/// The words of both texts, each with what it contributes to their similarity.
Weights in_common(const Weights& log, const Weights& example) {
    Weights products;
    for (const auto& [word, weight] : example)
        if (const double* other = look_up(log, word))
            products[word] = weight * *other;
    return products;
}

bool is_pair(const std::string& word) {
    return contains(word, "~");
}

/// 0 where they have too little in common to mean anything.
double similarity_of(const Weights& products) {
    double sum = 0;
    std::size_t words = 0;
    for (const auto& [word, product] : products) {
        sum += product;
        if (!is_pair(word) && !includes(common_words, word))
            ++words;
    }
    return words >= least_words && sum >= least_similarity ? sum : 0;
}

std::vector<std::string> heaviest_words(const Weights& products) {
    std::vector<std::pair<double, std::string>> sorted;
    for (const auto& [word, product] : products)
        if (!is_pair(word))
            sorted.emplace_back(-product, word);
    std::ranges::sort(sorted);
    sorted.resize(std::min(sorted.size(), most_words));
    return mapped(sorted, [](const auto& one) { return one.second; });
}

/// The end of a bracket expression: "[^]a-z]", "[\\]]".
std::size_t end_of_class(std::string_view pattern, std::size_t from) {
    std::size_t at = from + 1;
    if (at < pattern.size() && pattern[at] == '^')
        ++at;
    if (at < pattern.size() && pattern[at] == ']')
        ++at;
    while (at < pattern.size() && pattern[at] != ']')
        at += pattern[at] == '\\' ? 2 : 1;
    return at;
}

/// The last character of "(", "(?:" or "(?P<name>".
std::size_t end_of_group_start(std::string_view pattern, std::size_t from) {
    if (pattern.substr(from).starts_with("(?P<"))
        return std::min(pattern.find('>', from), pattern.size());
    return pattern.substr(from).starts_with("(?:") ? from + 2 : from;
}

/// The texts that a log is compared with, weighted.
struct Examples {
    WordCounts with;  ///< how many texts have the word
    std::vector<std::pair<std::string, Weights>> texts;
};

/// Of each set of tables once in a process: thousands of texts are weighted.
const Examples& examples_for(const Matrix& matrix) {
    static std::mutex mutex;
    static std::map<std::string, Examples, std::less<>> all;
    const std::scoped_lock lock(mutex);
    const auto [known, is_new] = all.try_emplace(std::string(matrix.digest()));
    Examples& examples = known->second;
    if (!is_new)
        return examples;
    const std::vector<KnownText> texts = examples_of(matrix);
    for (const KnownText& text : texts)
        for (const auto& [word, count] : text.words)
            ++examples.with[word];
    for (const KnownText& text : texts)
        examples.texts.emplace_back(
            text.cause, weights_of(text.words, examples.with, texts.size()));
    return examples;
}

}  // namespace

std::vector<std::string> words_of_pattern(std::string_view pattern) {
    std::vector<std::string> texts(1);
    int depth = 0;
    for (std::size_t at = 0; at < pattern.size(); ++at) {
        const char c = pattern[at];
        std::string& text = texts.back();
        if (c == '\\') {
            ++at;  // "\\." and "\\d" are no words
            text += ' ';
        } else if (c == '[') {
            at = end_of_class(pattern, at);
            text += ' ';
        } else if (c == '{') {
            at = std::min(pattern.find('}', at), pattern.size());
            text += ' ';
        } else if (c == '(') {
            ++depth;
            at = end_of_group_start(pattern, at);
            text += ' ';
        } else if (c == ')') {
            --depth;
            text += ' ';
        } else if (c == '|' && depth <= 1) {
            texts.emplace_back();
        } else if (c == '|') {
            text += ' ';
        } else {
            text += c;
        }
    }
    return texts;
}

std::vector<Resemblance> resembling_causes(const Log& log, const Matrix& matrix) {
    const Examples& examples = examples_for(matrix);
    std::string text;
    for (const LogEvent& event : log.events)
        if (event.kind != LogKind::harmless)
            text += event.text + " ";
    const Weights of_log = weights_of(words_of(text), examples.with, examples.texts.size());

    std::map<std::string, Resemblance> best;
    for (const auto& [cause, weights] : examples.texts) {
        const Weights products = in_common(of_log, weights);
        const double similarity = similarity_of(products);
        if (similarity > 0 && similarity > best[cause].similarity)
            best[cause] = {cause, similarity, heaviest_words(products)};
    }
    std::vector<Resemblance> all;
    for (auto& [cause, one] : best)
        all.push_back(std::move(one));
    std::ranges::stable_sort(all, std::greater{}, &Resemblance::similarity);
    return all;
}

}  // namespace rnncheck::rules
