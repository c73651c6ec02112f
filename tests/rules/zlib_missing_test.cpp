#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

using namespace rnncheck;

namespace {

Library& a_part_without_zlib(Facts& facts) {
    for (Library& library : facts.libraries) {
        if (library.kind != LibraryKind::cudnn_part)
            continue;
        library.missing_needs = {"libz.so.1"};
        return library;
    }
    throw std::logic_error("the healthy machine has cuDNN libraries");
}

}  // namespace

RULE_TEST(
    zlib_missing,
    Fires{
        {{"a part that the loader gives",
          but([](Facts& f) { a_part_without_zlib(f).picked_by_loader = true; }),
          "needs it: no recurrent network runs"},
         {"a part that is for convolutions alone, but cuDNN crashed",
          but([](Facts& f) {
              Library& part = library_named(f, "libcudnn_cnn_infer.so.8");
              part.missing_needs = {"libz.so.1"};
              part.picked_by_loader = true;
              probe_run(f, "cudnn_library").end = ProbeEnd::crashed;
          }),
          "libcudnn_cnn_infer.so.8 of the cuDNN in /usr/local/cuda-12.4/lib64 needs it: no "
          "recurrent network"},
         {"a part beside the cuDNN of a framework",
          but([](Facts& f) {
              Library& part = a_part_without_zlib(f);
              part.picked_by_loader = false;
              part.path = "/venv/nvidia/cudnn/lib/libcudnn_cnn_infer.so.8";
              part.soname = "libcudnn_cnn_infer.so.8";
              f.frameworks.emplace_back().libraries = {
                  {"libcudnn.so.8", "/venv/nvidia/cudnn/lib/libcudnn.so.8", "rpath", {}, {}}};
          }),
          "libcudnn_cnn_infer.so.8 of the cuDNN in /venv/nvidia/cudnn/lib needs it: convolutions "
          "fail"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"in a copy that nobody uses",
          but([](Facts& f) {
              Library& part = a_part_without_zlib(f);
              part.picked_by_loader = false;
              part.path = "/old/libcudnn_cnn_infer.so.8";
          }),
          ""},
         {"another need",
          but([](Facts& f) { a_part_without_zlib(f).missing_needs = {"libcublas.so.12"}; }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"which cuDNN a framework gets is not known",
          but([](Facts& f) {
              Library& part = a_part_without_zlib(f);
              part.picked_by_loader = false;
              f.frameworks.emplace_back().libraries = {{"libcudnn.so.8", {}, {}, {}, {}}};
          }),
          ""}}})
