// Which lines of the kernel's log are about a command, and when its GPU memory is worth a line.
#include "commands/command_end.hpp"

#include "support/catch.hpp"

namespace rnncheck {

TEST_CASE("command end: another program's error on the GPU is not the command's") {
    const auto is_ours = [](pid_t process) { return process == 4711; };
    const std::string xid = "NVRM: Xid (PCI:0000:00:06): ";
    CHECK(concerns_command(xid + "43, pid=4711, name=python3, channel 0x0000000a", is_ours));
    CHECK_FALSE(concerns_command(xid + "43, pid=3106, name=python3, channel 0x0000000a", is_ours));
    CHECK(concerns_command(
        xid + "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", is_ours));
    CHECK(concerns_command(xid + "79, GPU has fallen off the bus.", is_ours));
    CHECK(concerns_command(
        "python3[4711]: segfault at 8 ip 00007f error 4 in libc.so.6[19b,7f]", is_ours));
    CHECK_FALSE(concerns_command(
        "python3[12]: segfault at 8 ip 00007f error 4 in libc.so.6[19b,7f]", is_ours));
    CHECK_FALSE(concerns_command("usb 1-1: new device [4711]", is_ours));
}

TEST_CASE("command end: GPU memory is shown where it was short") {
    const auto now = std::chrono::steady_clock::now();
    GpuMemoryUse use{{}, now, std::nullopt};
    use.board.memory_total_mib = 1000;
    const auto shown = [&](std::int64_t free_mib, std::optional<std::int64_t> others) {
        use.board.memory_free_mib = free_mib;
        use.used_by_others_mib = others;
        return !fullest_in_words({{0, use}}, now).empty();
    };
    CHECK(shown(50, std::nullopt));
    CHECK(shown(600, 300));
    CHECK_FALSE(shown(996, std::nullopt));
    CHECK_FALSE(shown(600, 10));
}

}  // namespace rnncheck
