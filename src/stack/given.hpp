// Stacks that a person describes: of a machine that is not at hand, without guessing; or with a
// log, in whatever words.
#pragma once

#include <set>

#include "base/text.hpp"
#include "stack/stack.hpp"

namespace rnncheck::stack {

/// `expected` states what could be there: "a version such as 12.4".
struct NotUnderstood {
    GivenValue given;
    std::string expected;
};

/// What a person describes, and with a log what its lines show besides.
struct Given {
    Stack stack;  ///< with a log, its frameworks may have no version; `range` of a GPU's name that
                  ///< several generations have
    std::set<std::string> keys = {};  ///< those that were understood
    std::vector<NotUnderstood> not_understood = {};
    std::string words = {};  ///< with a log: all that was given, lower case, with blanks around
    std::optional<Version> build_cuda =
        {};  ///< "+cu118", "jaxlib+cuda11": the CUDA that the framework was built with

    const Framework* framework(std::string_view name) const {
        return find_by(stack.frameworks, &Framework::name, name);
    }
    bool mentions(std::string_view word) const {
        return contains(words, word);
    }
    /// "tensorflow 1.4.0 and tensorflow-gpu 1.4.0", "tensorflow-gpu + tensorflow": one after the
    /// other.
    bool names_both_packages() const;
};

/// "driver=535", "driver = 535" or "torch==2.4.0"; nothing without a '='. The key is in lower case;
/// of "onnxruntime-gpu=1.18" it is "framework".
std::optional<GivenValue> split_given(std::string_view text);

/// The framework that a package belongs to whose version follows from the framework's: pytorch of
/// "torchvision", jax of "flax"; "" of others.
std::string_view framework_of_package(std::string_view package);

/// Every key there is, by name.
std::vector<std::string> given_keys();

/// What one key takes, for help: "a version (535.104.05) or a branch (535)". The key must exist.
std::string_view expected_of(std::string_view key);

/// The stack that the values describe. The names of GPUs are looked up in the tables. What cannot
/// be understood, unknown keys and a second value for what has one included, is listed and left
/// out.
Given read_given(const std::vector<GivenValue>& values, const Matrix& matrix);

/// The stack with these values in the place of those of the same keys or frameworks. Every value
/// must be one that read_given understands.
Stack with_changes(Stack stack, const std::vector<GivenValue>& changes, const Matrix& matrix);

/// "cuda=twelve is not understood: a version (12.4) is expected".
std::string in_words(const NotUnderstood& complaint);

/// Lower case, blanks at the ends off.
std::string normalized(std::string_view text);

// Frameworks as users write them. Each returns nothing if the text has another form.

/// "2.4.0", "2.4.0+cu124", "2.15 cpu". Name and environment stay empty.
std::optional<Framework> framework_version_from(std::string_view text);
/// "pytorch 1.4", "tensorflow-gpu==1.15", "jax[cuda12]==0.4.30".
std::optional<Framework> framework_from(std::string_view text);
/// A framework or package of that name ("torch", "cupy-cuda12x") without a version.
std::optional<Framework> framework_named(std::string_view name);
struct FrameworkWord {
    std::string_view word, name;
    bool only_in_hints =
        false;  ///< named beside a log (libtorch, chainer), but no framework to check
    bool only_in_questions = false;  ///< a framework to check that runs on another one (keras)
};
/// The word for a framework that the text begins with; null when there is none.
const FrameworkWord* framework_word_at(std::string_view text);

// What was given with a log, read strictly, and where that fails by the words that can be made out.

/// Needs facts.log, and uses what the machine shows where neither the log nor the person does.
Given given_with_log(const Facts& facts, const Matrix& matrix);

/// An item of --given; `expected` is set where nothing can be made out in it.
UserHint user_hint_from(const GivenValue& item, const Matrix& matrix);

/// The compute capability of the first product of the table that the text names, whatever words
/// are around it.
std::optional<Version> capability_named(std::string_view text, const Matrix& matrix);

}  // namespace rnncheck::stack
