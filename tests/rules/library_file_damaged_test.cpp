#include "judge.hpp"
#include "support/broken_machines.hpp"
#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts damaged(
    rnncheck::FileProblem problem,
    const std::string& detail,
    rnncheck::FoundVia via = rnncheck::FoundVia::ld_library_path) {
    auto f = rnncheck::test::a_healthy_machine();
    rnncheck::Library file;
    file.kind = rnncheck::LibraryKind::cudnn;
    file.path = "/opt/broken/libcudnn.so.8";
    file.found_via = via;
    file.problem = problem;
    file.problem_detail = detail;
    f.libraries.push_back(file);
    return f;
}

rnncheck::Severity severity_of(const rnncheck::Facts& facts) {
    const auto* rule = rnncheck::find_named(rnncheck::all_rules(), "library_file_damaged");
    return (*rule)->check(facts, rnncheck::Matrix::bundled()).findings.at(0).severity;
}

}  // namespace

RULE_TEST(
    library_file_damaged,
    Fires{
        {{"a text file",
          damaged(FileProblem::not_elf, "is a text file, not a library"),
          "/opt/broken/libcudnn.so.8 is a text file, not a library"},
         {"a part that no recurrent network needs",
          but([](Facts& f) {
              Library& part = library_named(f, "libcudnn_cnn_train.so.8");
              part.problem = FileProblem::truncated;
              part.problem_detail = "is cut off";
          }),
          "libcudnn_cnn_train.so.8 is truncated"},
         {"nothing in it",
          damaged(FileProblem::not_elf, "is empty"),
          "/opt/broken/libcudnn.so.8 is empty"},
         {"another kind of file",
          damaged(FileProblem::not_elf, "no ELF header"),
          "is not a library"},
         {"cut off",
          damaged(FileProblem::truncated, "ends before its dynamic section"),
          "is truncated"},
         {"not readable",
          damaged(FileProblem::unreadable, "this user may not read it"),
          "cannot be read (permission)"},
         {"a broken disk",
          damaged(FileProblem::unreadable, "cannot be opened: Input/output error"),
          "libcudnn.so.8 cannot be opened: Input/output error"},
         {"a pipe",
          damaged(FileProblem::named_pipe, "is a named pipe (FIFO), not a file"),
          "is a named pipe (FIFO), not a library"},
         {"a directory",
          damaged(FileProblem::directory, "is a directory, not a file"),
          "is a directory, not a library"},
         {"a socket",
          damaged(FileProblem::socket, "is a socket, not a file"),
          "is a socket, not a library"},
         {"a device",
          damaged(FileProblem::device, "is a device, not a file"),
          "is a device, not a library"},
         {"links in a loop",
          damaged(FileProblem::link_circle, "leads into a loop"),
          "is a symbolic link loop"},
         {"broken tables",
          damaged(FileProblem::damaged, "dynamic section outside the file"),
          "is damaged"},
         {"a link to nothing",
          damaged(FileProblem::dangling_link, "-> libcudnn.so.8.9.7"),
          "is a symbolic link to a file that does not exist"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a broken part that a cuDNN would load is reported as that",
          but([](Facts& f) {
              library_named(f, "libcudnn_adv_infer.so.8").problem = FileProblem::truncated;
          }),
          ""},
         {"a link to a driver that is not there is reported as that",
          after(
              module_without_library(),
              [](Facts& f) {
                  Library& link = f.libraries.emplace_back();
                  link.path = "/lib/libcuda.so.1";
                  link.problem = FileProblem::dangling_link;
              }),
          ""},
         {"for another machine is another fault",
          damaged(FileProblem::other_machine, "for 64-bit AArch64"),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"a file was not read", but([](Facts& f) { f.libraries.back().machine.reset(); }), ""}}})

TEST_CASE("a damaged file is an error where the loader would stop at it") {
    using namespace rnncheck;
    CHECK(
        severity_of(damaged(FileProblem::not_elf, "is a text file, not a library")) ==
        Severity::error);
    CHECK(severity_of(damaged(FileProblem::truncated, "", FoundVia::wheel)) == Severity::warning);
    // The healthy machine has a good libcudnn.so.8 that the loader goes on to.
    CHECK(
        severity_of(damaged(FileProblem::unreadable, "this user may not read it")) ==
        Severity::warning);
    CHECK(severity_of(damaged(FileProblem::socket, "")) == Severity::warning);
    CHECK(severity_of(damaged(FileProblem::named_pipe, "")) == Severity::error);
    auto no_other = damaged(FileProblem::unreadable, "this user may not read it");
    std::erase_if(no_other.libraries, [](const Library& l) {
        return l.kind == LibraryKind::cudnn && !l.problem;
    });
    CHECK(severity_of(no_other) == Severity::error);
}

TEST_CASE("only a damaged file that stops the loader explains that cuDNN is missing") {
    using namespace rnncheck;
    const auto is_reported = [](FoundVia via) {
        Facts facts = damaged(FileProblem::truncated, "is cut off", via);
        std::erase_if(facts.libraries, [](const Library& l) {
            return l.kind == LibraryKind::cudnn && !l.problem;
        });
        facts.cudnns.clear();
        test::no_cases(facts);
        const Report report = judge(facts, Matrix::bundled(), {});
        return std::ranges::find(report.findings, "cudnn_not_installed", &Finding::rule) !=
               report.findings.end();
    };
    CHECK(is_reported(FoundVia::toolkit));
    CHECK(!is_reported(FoundVia::ld_library_path));
}
