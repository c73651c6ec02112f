#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts compat_in_use(std::int64_t code) {
    auto f = rnncheck::test::init_returns(code);
    auto& library = rnncheck::test::library_of(f, rnncheck::LibraryKind::cuda);
    library.path = "/usr/local/cuda-12.9/compat/libcuda.so.1";
    library.compat = true;
    f.driver.library_version = rnncheck::test::v("575.51.03");
    f.driver.kernel_version = rnncheck::test::v("535.104.05");
    return f;
}

}  // namespace

RULE_TEST(
    container_cuda_newer_than_driver,
    Fires{
        {{"rejected on this GPU", compat_in_use(804), "is not supported on this GPU"},
         {"rejected, the file unseen",
          after(init_returns(804), [](Facts& f) { f.libraries.clear(); }),
          "error 804"},
         {"fails with another error",
          compat_in_use(803),
          "instead of the driver's own libcuda and fails"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"it works", compat_in_use(0), ""},
         {"the driver's own library fails", init_returns(803), ""},
         {"compatibility library without module",
          after(
              library_without_module(),
              [](Facts& f) { library_of(f, LibraryKind::cuda).compat = true; }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the result of cuInit is unknown",
          after(compat_in_use(804), [](Facts& f) { f.driver.init.reset(); }),
          ""}}})
