#include "base/version.hpp"

#include "support/catch.hpp"

using namespace rnncheck;

TEST_CASE("versions compare by number and print as written") {
    CHECK(*parse_version("580.65.06") > *parse_version("580.65.5"));
    CHECK(parse_version("580.65.06")->text == "580.65.06");
    CHECK(*parse_version("12.4") == *parse_version("12.4.0"));
    CHECK(*parse_version("9.10") > *parse_version("9.9"));
    CHECK(parse_version("535")->major() == 535);
}

TEST_CASE("what is not a version is none") {
    for (const char* text :
         {"",
          ".",
          "12.",
          ".4",
          "12..4",
          "12.x",
          "v12",
          "1.2.3.4.5",
          " 12",
          "12 ",
          "-1",
          "99999999999",
          "1.9999999999"}) {
        INFO(text);
        CHECK_FALSE(parse_version(text));
    }
}

TEST_CASE("a version is found inside other text") {
    CHECK(
        find_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19")
            ->text == "535.104.05");
    CHECK(find_version(".535.247.01") == std::nullopt);
    CHECK(find_version("535.247.01")->text == "535.247.01");
    CHECK(find_version("libcudnn.so.9 or 9.19.0", 3)->text == "9.19.0");
    CHECK_FALSE(find_version("x86_64 and v12.4 only as part of words"));
    CHECK_FALSE(find_version("12 34 56"));
}

TEST_CASE("CUDA's and cuDNN's codings") {
    CHECK(cuda_version_from_number(13010)->text == "13.1");
    CHECK(cuda_version_from_number(9020)->text == "9.2");
    CHECK_FALSE(cuda_version_from_number(0));
    CHECK_FALSE(cuda_version_from_number(-5));
    CHECK(cudnn_version_from_number(91900)->text == "9.19.0");
    CHECK(cudnn_version_from_number(8907)->text == "8.9.7");
    CHECK(cudnn_version_from_number(7605)->text == "7.6.5");
    CHECK_FALSE(cudnn_version_from_number(0));
    CHECK_FALSE(cudnn_version_from_number(~std::size_t{0}));
}
