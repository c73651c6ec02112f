#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "process/pool.hpp"

namespace rnncheck::process {

namespace {

/// NVML and libcuda run as root make /dev/nvidia* with mknod and load the kernel module, directly or through the
/// set-user-id program nvidia-modprobe. A diagnosis leaves no trace, so the process gives up the right to, unless
/// asked.
void give_up(unsigned capability) {
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
    if (syscall(SYS_capget, &header, sets) != 0) return;
    const std::uint32_t bit = ~(1u << (capability % 32));
    auto& set = sets[capability / 32];
    set.effective &= bit;
    set.permitted &= bit;
    set.inheritable &= bit;
    syscall(SYS_capset, &header, sets);
}

}  // namespace

void confine_this_process(bool may_make_nodes) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (may_make_nodes) return;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    give_up(CAP_MKNOD);
    give_up(CAP_SYS_MODULE);
}

}  // namespace rnncheck::process
