// Queries of the tables that are about no single library.
#include "stack/questions.hpp"

#include "matrix/ranges.hpp"
#include "stack/compatibility.hpp"

namespace rnncheck {

std::string version_in_words(const Version& version) {
    if (parts_written(version) == 1)
        return version.text + ".x";
    return version.text;
}

}  // namespace rnncheck

namespace rnncheck::stack {

std::string outside_data(const std::string& what, Coverage coverage, const Matrix& matrix) {
    const std::string data = " the data of " + matrix.date();
    if (coverage == Coverage::newer_than_data)
        return what + " is newer than" + data;
    if (coverage == Coverage::older_than_data)
        return what + " is older than" + data;
    return what + " is not in" + data;
}

bool is_called(const FrameworkBuild& build, std::string_view name) {
    // Where TensorFlow's package has no CUDA (Linux on Arm, Windows), the extra adds NVIDIA's
    // packages to it, no more.
    if (name == "and-cuda" && build.package == "tensorflow" && build.build == "cpu")
        return true;
    return build.build == name ||
           (build.cuda && (name == "gpu" || (name == "cuda" && build.libraries == "wheels")));
}

Compatibility build_for_python(const FrameworkBuild& build, const Version& python) {
    if (!build.python_first && !build.python_last)
        return not_known("the versions of Python it is for are not in the data");
    if (is_between(python, build.python_first, build.python_last))
        return {};
    const std::string first = build.python_first ? build.python_first->text : "the oldest";
    const std::string last = build.python_last ? build.python_last->text : "the newest";
    return {
        .fit = Fit::does_not_work,
        .why = "it is for Python " + first + " to " + last,
        .evidence = {evidence_of(build, "Python " + first + " to " + last)},
    };
}

Evidence evidence_of(const FrameworkBuild& build, const std::string& value) {
    std::string versions = build.first.text;
    if (build.last && build.last != build.first)
        versions += " to " + build.last->text;
    return {
        build.package + ' ' + versions + " for " + build.os + " (" + build.build + ")",
        value,
        build.source.url};
}

}  // namespace rnncheck::stack
