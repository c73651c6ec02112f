// WSL brings its own libcuda in /usr/lib/wsl/lib, and the loader does not take it.
#include "rules/rule.hpp"

namespace rnncheck::rules::wsl_libcuda_not_found {

static Finding not_picked(const Facts& facts, const Library& windows) {
    const Library* other = picked(facts, LibraryKind::cuda);
    return {
        .subject = windows.path,
        .message = other ? "the loader finds " + other->path + " instead of " + windows.path +
                               ", the only libcuda that works under WSL"
                         : "the loader does not find " + windows.path + ", the libcuda that Windows provides to WSL",
        .evidence = {{"libcuda of WSL", windows.path, "libraries"},
                     {"libcuda that the loader finds", other ? other->path : "none", "libraries"}},
        .remedies =
            {{.action = Action::change_environment,
              .text =
                  "Add WSL's directory to the loader's search path and refresh the loader's cache. Remove any Linux "
                  "NVIDIA driver inside WSL: WSL uses the Windows driver",
              .commands = {"echo /usr/lib/wsl/lib | sudo tee /etc/ld.so.conf.d/ld.wsl.conf", "sudo ldconfig"},
              .risk = Risk::needs_root,
              .verify = "/sbin/ldconfig -p | grep libcuda.so.1",
              .link = "https://docs.nvidia.com/cuda/wsl-user-guide/index.html"}},
        .explains = {"driver.init", "libcuda"}};
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver works");
    if (!facts.host.wsl) return undecided("it is unknown whether this is WSL");
    if (!*facts.host.wsl) return not_applicable("this is not WSL");
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    if (!node_at(facts, "/dev/dxg")) return not_applicable("WSL has no GPU: /dev/dxg does not exist");
    const Library* windows = libcuda_of_wsl(facts);
    if (!windows) return not_applicable("WSL provides no libcuda");
    if (windows->picked_by_loader) return pass("the loader finds the libcuda of WSL");
    return fault(not_picked(facts, *windows));
}

extern const Rule rule{
    .title = "The loader does not find WSL's libcuda", .layer = Layer::host, .stage = Stage::look, .check = check};

}  // namespace rnncheck::rules::wsl_libcuda_not_found
