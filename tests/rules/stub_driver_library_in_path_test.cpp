#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts stub_on_path(bool picked) {
    auto f = rnncheck::test::init_returns(picked ? 34 : 0);
    rnncheck::Library stub;
    stub.path = "/usr/local/cuda/lib64/stubs/libcuda.so.1";
    stub.found_via = rnncheck::FoundVia::ld_library_path;
    stub.stub = true;
    stub.machine = "64-bit x86-64";
    stub.picked_by_loader = picked;
    if (picked) {
        rnncheck::test::library_of(f, rnncheck::LibraryKind::cuda).picked_by_loader = false;
        f.driver.library = stub.path;
    }
    f.libraries.insert(f.libraries.begin(), stub);
    return f;
}

}  // namespace

RULE_TEST(
    stub_driver_library_in_path,
    Fires{
        {{"the loader picks it", stub_on_path(true), "is the toolkit's stub, not the driver"},
         {"picked and never queried",
          after(stub_on_path(true), [](Facts& f) { f.driver.init.reset(); }),
          "finds the toolkit's stub"},
         {"only on LD_LIBRARY_PATH", stub_on_path(false), "is in a directory of LD_LIBRARY_PATH"},
         {"cuInit gives it away",
          init_returns(34, "CUDA_ERROR_STUB_LIBRARY"),
          "is the toolkit's stub, not the driver"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a stub in the toolkit's own directory",
          but([](Facts& f) {
              f.libraries.push_back(library_of(f, LibraryKind::cuda));
              f.libraries.back().path = "/usr/local/cuda/lib64/stubs/libcuda.so";
              f.libraries.back().stub = true;
              f.libraries.back().found_via = FoundVia::toolkit;
              f.libraries.back().picked_by_loader = false;
          }),
          ""},
         {"no libcuda at all", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the library never responded", but([](Facts& f) { f.driver.init.reset(); }), ""}}})

TEST_CASE("a stub is an error when it is loaded, a warning beside a driver that answers") {
    using namespace rnncheck;
    const auto* rule = find_named(all_rules(), "stub_driver_library_in_path");
    const auto severity = [&](const Facts& facts) {
        return (*rule)->check(facts, Matrix::bundled()).findings.at(0).severity;
    };
    CHECK(severity(stub_on_path(true)) == Severity::error);
    CHECK(severity(stub_on_path(false)) == Severity::warning);
    CHECK((*rule)->check(stub_on_path(true), Matrix::bundled()).findings.size() == 1);
}
