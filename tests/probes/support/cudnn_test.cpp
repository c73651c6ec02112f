// What the files of a cuDNN show of how they were built.
#include "support/cudnn.hpp"

#include "support/catch.hpp"

using namespace rnncheck;

TEST_CASE("files that show nothing are left out, the others show version and CUDA") {
    const std::string made = FAKE_CUDNN;
    const auto files = probes::builds_of(
        {made + "/fake_adv/libcudnn_adv.so.9",
         made + "/fake_rpath_9.28.0/libcudnn.so.9",
         made + "/fake_ops/libcudnn_ops.so.9",
         "/nowhere/libcudnn_cnn.so.9"});
    REQUIRE(files.size() >= 2);
    CHECK(files.front().cuda_major == 13);
    CHECK_FALSE(files.front().version);
    CHECK(files.back().path == made + "/fake_ops/libcudnn_ops.so.9");
    CHECK(files.back().cuda_major == 12);
#ifdef __x86_64__
    REQUIRE(files.size() == 3);
    CHECK(files[1].version->text == "9.28.0");
    CHECK_FALSE(files[1].cuda_major);
#endif
}
