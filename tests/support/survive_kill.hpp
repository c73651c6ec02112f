// A process that SIGKILL does not make go away, as one that hangs inside the kernel; needs no
// privilege.
#pragma once

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

namespace rnncheck::test {

inline constexpr int tracing_forbidden = 77;

/// A helper traces this process and never looks at it. Once killed, it stays a zombie that the
/// kernel shows to its tracer alone (ptrace(2): a tracee's death is reported to the tracer first),
/// so its parent sees it neither run on nor end. The helper ends after `seconds`, and this process
/// with it. Leaves with exit code 77 where tracing is forbidden.
inline void become_unkillable(unsigned seconds) {
    int output[2];
    if (pipe(output) != 0)
        _exit(tracing_forbidden);
    const pid_t self = getpid();
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    if (fork() == 0) {
        setsid();  // out of the group that is killed
        const char traces = ptrace(PTRACE_SEIZE, self, nullptr, nullptr) == 0 ? 'y' : 'n';
        const bool written = write(output[1], &traces, 1) == 1;
        for (int descriptor = 0; descriptor < 1024; ++descriptor)
            close(descriptor);
        if (written && traces == 'y')
            sleep(seconds);
        _exit(0);
    }
    char traces = 'n';
    if (read(output[0], &traces, 1) != 1 || traces != 'y')
        _exit(tracing_forbidden);
}

}  // namespace rnncheck::test
