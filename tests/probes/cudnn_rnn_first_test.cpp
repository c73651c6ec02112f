#include "process/probe.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace rnncheck::probes::cudnn_rnn_first {
extern const Probe probe;
}

namespace {

ProbeOutput output_of_rnn_first(const std::string& sim) {
    return run_probe(
        "cudnn_rnn_first",
        {.target = sim_file("cudnn9", "libcudnn.so.9"),
         .flavours = {"base", "cudnn9"},
         .sim = sim});
}

void add_file(Facts& f, LibraryKind kind, const std::string& path, FoundVia via) {
    Library& library = f.libraries.emplace_back();
    library.kind = kind;
    library.path = path;
    library.found_via = via;
}

}  // namespace

TEST_CASE("cudnn_rnn_first reports the files of a process whose first call is one for RNNs") {
    const auto output = output_of_rnn_first("");
    REQUIRE(output.facts.cudnns.size() == 1);
    REQUIRE(output.facts.cudnns[0].rnn_first);
    CHECK_FALSE(output.facts.cudnns[0].rnn_first->failure);
    CHECK_FALSE(output.facts.cudnns[0].rnn_first->parts_mapped.empty());
    CHECK_FALSE(output.facts.cudnns[0].rnn_usable);
}

TEST_CASE("cudnn_rnn_first calls the function for RNNs before the checks of the parts") {
    const auto output =
        output_of_rnn_first("cudnnCreateRNNDescriptor=fail:1002 cudnnOpsVersionCheck=fail:1002");
    REQUIRE(output.facts.cudnns.size() == 1);
    CHECK(output.facts.cudnns[0].rnn_first->failure->call == "cudnnCreateRNNDescriptor");
}

TEST_CASE("cudnn_rnn_first runs only where LD_LIBRARY_PATH has another libcudnn_ops") {
    Facts f;
    add_file(f, LibraryKind::cudnn, "/wheel/libcudnn.so.9", FoundVia::wheel);
    add_file(f, LibraryKind::cudnn, "/old/libcudnn.so.8", FoundVia::wheel);
    const auto targets = [&] { return probes::cudnn_rnn_first::probe.targets(f); };
    CHECK(targets().empty());
    add_file(f, LibraryKind::cudnn_part, "/system/libcudnn_ops.so.9", FoundVia::loader_cache);
    CHECK(targets().empty());
    add_file(f, LibraryKind::cudnn_part, "/other/libcudnn_ops.so.9", FoundVia::ld_library_path);
    CHECK(targets() == std::vector<std::string>{"/wheel/libcudnn.so.9"});
}
