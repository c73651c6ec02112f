// Names of GPUs as people write them.
#include <algorithm>

#include "matrix/gpu_name.hpp"
#include "matrix/matrix.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"

using namespace rnncheck;
using rnncheck::test::v;

namespace {

const Matrix& bundled() {
    static const Matrix matrix = Matrix::bundled();
    return matrix;
}

/// "8.6", or "" when the name does not tell it.
std::string capability_of(std::string_view written) {
    const auto product = bundled().gpu_product(written);
    return product ? product->capability.text : "";
}

std::string name_of(std::string_view written) {
    const auto product = bundled().gpu_product(written);
    return product ? product->name : "";
}

}  // namespace

TEST_CASE("one product under the many names that people give it") {
    for (const char* written : {"rtx3090", "RTX 3090", "3090", "GeForce RTX 3090", "NVIDIA GeForce RTX 3090",
                                "geforce-rtx-3090", "RTX 3090 24GB", "rtx_3090 24 gb"})
        CHECK(name_of(written) == "GeForce RTX 3090");
    for (const char* written : {"A100", "a100-sxm4-80gb", "NVIDIA A100-PCIE-40GB", "A100 80G", "Tesla A100", "DGX A100",
                                "NVIDIA A100-SXM4-80GB MIG 1g.10gb", "A100 SXM4 80 GB"})
        CHECK(name_of(written) == "A100");
    for (const char* written : {"V100", "Tesla V100-SXM2-16GB", "tesla v100 dgxs 32gb", "teslav100"})
        CHECK(name_of(written) == "Tesla V100");
    for (const char* written : {"H100", "NVIDIA H100 80GB HBM3", "H100 PCIe", "H100 NVL", "h100-sxm5"})
        CHECK(name_of(written) == "H100");
}

TEST_CASE("what follows the number makes another product") {
    CHECK(name_of("RTX 3090 Ti") == "GeForce RTX 3090 Ti");
    CHECK(name_of("gtx 1080ti") == "GeForce GTX 1080 Ti");
    CHECK(name_of("GTX1080") == "GeForce GTX 1080");
    CHECK(name_of("RTX 4070 Ti Super") == "GeForce RTX 4070 Ti SUPER");
    CHECK(capability_of("GTX 780") == "3.5");
    CHECK(capability_of("GTX 780M") == "3.0");
    CHECK(capability_of("GTX 750") == "5.0");
    CHECK(capability_of("GTX 750 v2") == "5.2");
    CHECK(capability_of("GeForce RTX 3050 Laptop GPU") == "8.6");
    CHECK(capability_of("GeForce RTX 3050 A Laptop GPU") == "8.9");
    CHECK(capability_of("RTX 3090 Ti Super").empty());
    CHECK(capability_of("GTX 1080 Plus").empty());
}

TEST_CASE("laptop and Max-Q editions have the capability of the product") {
    CHECK(name_of("NVIDIA GeForce RTX 4070 Laptop GPU") == "GeForce RTX 4070");
    CHECK(name_of("GeForce GTX 1060 with Max-Q Design") == "GeForce GTX 1060");
    CHECK(name_of("GeForce RTX 2080 Super with Max-Q Design") == "GeForce RTX 2080 SUPER");
    CHECK(capability_of("RTX 5090 Mobile") == "12.0");
    CHECK(capability_of("RTX A2000 8GB Laptop GPU") == "8.6");
}

TEST_CASE("boards of data centres, workstations and Jetson") {
    CHECK(capability_of("Tesla K80") == "3.7");
    CHECK(capability_of("K40m") == "3.5");
    CHECK(capability_of("P100") == "6.0");
    CHECK(capability_of("T4") == "7.5");
    CHECK(capability_of("A10G") == "8.6");
    CHECK(capability_of("L40S") == "8.9");
    CHECK(capability_of("H200") == "9.0");
    CHECK(capability_of("NVIDIA GH200 480GB") == "9.0");
    CHECK(capability_of("GB200 NVL72") == "10.0");
    CHECK(capability_of("GB 300") == "10.3");
    CHECK(capability_of("GB10") == "12.1");
    CHECK(capability_of("NVIDIA DGX Spark") == "12.1");
    CHECK(capability_of("Quadro RTX A6000") == "8.6");
    CHECK(capability_of("MX150") == "6.1");
    for (const char* written : {"Jetson Orin", "Orin", "Orin (nvgpu)", "Jetson AGX Orin Developer Kit", "orin-nano"})
        CHECK(capability_of(written) == "8.7");
    CHECK(capability_of("Jetson Nano") == "5.3");
    CHECK(capability_of("Jetson Xavier") == "7.2");
    CHECK(capability_of("Jetson Thor") == "11.0");
}

TEST_CASE("a name of several generations is not guessed, and a word more decides") {
    const auto capabilities = [](const char* written) {
        std::vector<std::string> found;
        for (const GpuProduct& product : bundled().gpu_products_named(written))
            found.push_back(product.capability.text);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    };
    CHECK_FALSE(bundled().gpu_product("RTX 6000"));
    CHECK(capabilities("RTX 6000") == std::vector<std::string>{"12.0", "7.5", "8.9"});
    CHECK(capability_of("Quadro RTX 6000") == "7.5");
    CHECK(capability_of("RTX 6000 Ada") == "8.9");
    CHECK(capability_of("rtx6000ada") == "8.9");
    CHECK(capability_of("NVIDIA RTX 6000 Ada Generation") == "8.9");
    CHECK(capability_of("RTX PRO 6000") == "12.0");
    CHECK(capability_of("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition") == "12.0");
    CHECK(capabilities("GT 730") == std::vector<std::string>{"2.1", "3.0", "3.5"});
    CHECK(capability_of("GTX 860M").empty());
    CHECK(capabilities("Titan X") == std::vector<std::string>{"5.2", "6.1"});
    CHECK(capability_of("GTX Titan X") == "5.2");
    CHECK(capability_of("NVIDIA TITAN X (Pascal)") == "6.1");
    CHECK(capability_of("Titan RTX") == "7.5");
    CHECK(capability_of("Quadro K2200M").empty());
}

TEST_CASE("forward compatibility is for data centres: a name that leaves it open does not promise it") {
    CHECK(bundled().gpu_product("H200")->data_center);
    CHECK(bundled().gpu_product("Tesla K80")->data_center);
    CHECK_FALSE(bundled().gpu_product("GeForce RTX 5090")->data_center);
    CHECK(bundled().gpu_product("RTX PRO 6000 Blackwell Server Edition")->data_center);
    CHECK_FALSE(bundled().gpu_product("RTX PRO 6000 Blackwell")->data_center);
}

TEST_CASE("what is no GPU that the table knows") {
    for (const char* written : {"", "NVIDIA", "GeForce RTX", "8.6", "Radeon RX 7900", "RTX 9090", "80GB", "Laptop GPU",
                                "\xff\xfe", "GeForce RTX 3090 \xc3\xa9t\xc3\xa9"})
        CHECK(bundled().gpu_products_named(written).empty());
}

TEST_CASE("every product is found by its own name") {
    for (const GpuProduct& row : bundled().gpu_products()) {
        INFO(row.name);
        const auto named = bundled().gpu_products_named(row.name);
        CHECK(std::any_of(named.begin(), named.end(), [&](const GpuProduct& found) {
            return found.name == row.name && found.capability == row.capability;
        }));
    }
}

TEST_CASE("GPUs before Kepler are named, so that they are told to be too old") {
    CHECK(capability_of("GTX 580") == "2.0");
    CHECK(bundled().architecture(bundled().gpu_product("GTX 460")->capability).coverage == Coverage::older_than_data);
}

TEST_CASE("the capability of every product is one that the architectures know, but for chips before Kepler") {
    for (const GpuProduct& row : bundled().gpu_products()) {
        INFO(row.name);
        CHECK((bundled().architecture(row.capability) || row.capability < v("3.0")));
    }
}
