#include "base/program.hpp"
#include "fleet/fleet.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

TEST_CASE("sets of nodes are written as cluster tools read them", "[fleet]") {
    CHECK(nodeset_of({}).empty());
    CHECK(nodeset_of({"login"}) == "login");
    CHECK(nodeset_of({"gpu3", "gpu1", "gpu2", "gpu1"}) == "gpu[1-3]");
    CHECK(nodeset_of({"gpu9", "gpu10", "gpu11"}) == "gpu[9-11]");
    CHECK(nodeset_of({"gpu001", "gpu002", "gpu099", "gpu100"}) == "gpu[001-002,099-100]");
    CHECK(nodeset_of({"gpu01", "gpu001"}) == "gpu01,gpu001");
    CHECK(nodeset_of({"r1n1", "r1n2", "r2n1"}) == "r1n[1-2],r2n1");
    CHECK(nodeset_of({"gpu1-ib", "gpu2-ib"}) == "gpu[1-2]-ib");
}

TEST_CASE("a range without brackets is recognized", "[fleet]") {
    CHECK(range_meant_by("gpu001-500") == "gpu[001-500]");
    CHECK(range_meant_by("gpu1-4") == "gpu[1-4]");
    for (const char* name : {"gpu001", "gpu-7", "gpu500-001", "gpu1-10", "1-4", "rack1-gpu4", ""})
        CHECK(range_meant_by(name).empty());
}

TEST_CASE("sets of nodes are read", "[fleet]") {
    CHECK(names_of_nodeset("gpu[008-010,012],login1").size() == 5);
    CHECK(
        names_of_nodeset("gpu[008-010]") == std::vector<std::string>{"gpu008", "gpu009", "gpu010"});
    CHECK(
        names_of_nodeset("gpu[1-2]-ib, x") == std::vector<std::string>{"gpu1-ib", "gpu2-ib", "x"});
    CHECK(names_of_nodeset("").empty());
    for (const char* bad :
         {"gpu[1-",
          "gpu[2-1]",
          "gpu[a-b]",
          "gpu[]",
          ",",
          "gpu[1-99999999]",
          "a[1][2]",
          "gpu]",
          "gpu[-1]"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(names_of_nodeset(bad), UsageError);
    }
}

TEST_CASE("what is written is read again", "[fleet]") {
    const std::vector<std::string> names = {
        "a", "gpu001", "gpu002", "gpu010", "gpu1000", "n1", "n10", "n2"};
    auto read = names_of_nodeset(nodeset_of(names));
    std::ranges::sort(read);
    CHECK(read == names);
}
