#include <cstdio>
#include <random>

#include "files/loader/loader.hpp"
#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/loader_cache_builder.hpp"
#include "support/skip.hpp"

using namespace rnncheck;
using namespace rnncheck::test;
using loader::LoaderCache;

namespace {

constexpr std::uint64_t subset_bit = std::uint64_t{1} << 62;

const std::vector<CacheLine> lines = {
    {"libcudnn.so.9", "/opt/v2/libcudnn.so.9", subset_bit | 0},
    {"libcudnn.so.9", "/opt/v3/libcudnn.so.9", subset_bit | 1},
    {"libcudnn.so.9", "/opt/first/libcudnn.so.9"},
    {"libcudnn.so.9", "/opt/second/libcudnn.so.9"},
    {"libcuda.so.1", "/usr/lib32/libcuda.so.1", 0, 0x0003},
    {"libcuda.so.1", "/usr/lib64/libcuda.so.1"}};
const std::vector<std::string> subsets = {"x86-64-v2", "x86-64-v3"};

}  // namespace

TEST_CASE("the first entry for this machine counts, a better subset before it") {
    const LoaderCache cache(cache_bytes(lines, subsets));
    CHECK(cache.entries().size() == 5);
    CHECK(cache.find("libcudnn.so.9", {}) == "/opt/first/libcudnn.so.9");
    CHECK(cache.find("libcudnn.so.9", {"x86-64-v2"}) == "/opt/v2/libcudnn.so.9");
    CHECK(cache.find("libcudnn.so.9", {"x86-64-v3", "x86-64-v2"}) == "/opt/v3/libcudnn.so.9");
    CHECK(cache.find("libcuda.so.1", {}) == "/usr/lib64/libcuda.so.1");
    CHECK_FALSE(cache.find("libcuda.so", {}));
    CHECK_FALSE(cache.find("libcuda.so.1.1", {}));
    CHECK(cache.entries()[0].subset == "x86-64-v2");
}

TEST_CASE("the new format behind the old one is read") {
    std::string old = "ld.so-1.7.0";
    old += '\0';
    append_number(old, 3, 4);
    old += std::string(3 * 12, 'x');
    old.resize((old.size() + 7) / 8 * 8);
    const LoaderCache cache(old + cache_bytes(lines, subsets));
    CHECK(cache.find("libcuda.so.1", {}) == "/usr/lib64/libcuda.so.1");
}

TEST_CASE("an absent, foreign or damaged cache has no entries") {
    FakeRoot root;
    CHECK(loader::read_loader_cache(root.root()).entries().empty());
    CHECK(LoaderCache("ld.so-1.7.0").entries().empty());
    CHECK(LoaderCache("some text").entries().empty());
    CHECK(LoaderCache("glibc-ld.so.cache1.1").entries().empty());
}

TEST_CASE("no cut, flipped byte or huge count leads astray") {
    const std::string good = cache_bytes(lines, subsets);
    const auto use = [](const std::string& bytes) {
        const LoaderCache cache(bytes);
        for (const auto& entry : cache.entries())
            REQUIRE(entry.path.size() <= 4096);
        const auto found = cache.find("libcudnn.so.9", {"x86-64-v3"});
        REQUIRE((!found || found->size() <= 4096));
    };
    for (std::size_t length = 0; length < good.size(); ++length)
        use(good.substr(0, length));
    std::string text = good;
    for (std::size_t i = 20; i < good.size(); ++i)
        for (const int mask : {0x01, 0x80, 0xFF}) {
            std::string bytes = good;
            bytes[i] = static_cast<char>(bytes[i] ^ mask);
            use(bytes);
        }
    std::string many = good;
    many.replace(20, 4, "\xff\xff\xff\xff");
    use(many);
}

TEST_CASE("this machine's own cache gives what ldconfig prints", "[optional]") {
    const LoaderCache cache = loader::read_loader_cache(Root());
    FILE* listing = popen("PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null", "r");
    REQUIRE(listing);
    std::size_t compared = 0;
    char line[8192];
    while (std::fgets(line, sizeof line, listing)) {
        const std::string_view text = line;
        const auto arrow = text.find(") => ");
        const auto bracket = text.find(" (libc6,x86-64");
        if (arrow == std::string_view::npos || bracket == std::string_view::npos)
            continue;
        const std::string_view path = text.substr(arrow + 5, text.size() - arrow - 6);
        REQUIRE(compared < cache.entries().size());
        CHECK(cache.entries()[compared].name == text.substr(1, bracket - 1));
        CHECK(cache.entries()[compared].path == path);
        ++compared;
    }
    pclose(listing);
    if (compared == 0)
        return test::skip("no ldconfig for x86-64 here");
    CHECK(compared == cache.entries().size());
}
