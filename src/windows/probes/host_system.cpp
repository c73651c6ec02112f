// The system around: version of Windows, the variables that matter, what limits
// long kernels and large programs.
#include <windows.h>

#include "base/text.hpp"
#include "process/probe.hpp"
#include "support/environment.hpp"
#include "windows/driver_version.hpp"
#include "windows/places.hpp"
#include "windows/registry.hpp"

namespace rnncheck::probes::host_system {

/// RtlGetVersion, since GetVersionEx gives the version that the
/// program's manifest declares.
static std::optional<RTL_OSVERSIONINFOW> version_of_windows() {
    using Function = LONG(WINAPI*)(RTL_OSVERSIONINFOW*);
    const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    const auto get =
        reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(ntdll, "RtlGetVersion")));
    RTL_OSVERSIONINFOW about{};
    about.dwOSVersionInfoSize = sizeof about;
    if (!get || get(&about) != 0)
        return std::nullopt;
    return about;
}

/// "Windows 11 (10.0.22631)"; 11 has the number 10.0, too:
/// https://learn.microsoft.com/en-us/windows/release-health/windows11-release-information
static void learn_version(Host& host) {
    const auto about = version_of_windows();
    if (!about)
        return;
    constexpr DWORD first_of_11 = 22000;
    const std::string number = std::to_string(about->dwMajorVersion) + '.' +
                               std::to_string(about->dwMinorVersion) + '.' +
                               std::to_string(about->dwBuildNumber);
    const bool is_11 = about->dwMajorVersion == 10 && about->dwBuildNumber >= first_of_11;
    host.os =
        "Windows " + (is_11 ? "11" : std::to_string(about->dwMajorVersion)) + " (" + number + ")";
}

static std::optional<std::string> machine() {
    SYSTEM_INFO about{};
    GetNativeSystemInfo(&about);
    if (about.wProcessorArchitecture == PROCESSOR_ARCHITECTURE_AMD64)
        return "x86_64";
    if (about.wProcessorArchitecture == PROCESSOR_ARCHITECTURE_ARM64)
        return "aarch64";
    return std::nullopt;
}

/// https://learn.microsoft.com/en-us/windows-hardware/drivers/display/tdr-registry-keys
static void learn_gpu_timeout(WindowsHost& windows) {
    const std::string key = "SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers";
    constexpr int usual_delay_s = 2, off = 0;
    const auto number = [&](const char* name) {
        return windows::registry_number(HKEY_LOCAL_MACHINE, key, name);
    };
    windows.gpu_timeout = number("TdrLevel").value_or(1) != off;
    windows.gpu_timeout_s =
        static_cast<int>(std::min(number("TdrDelay").value_or(usual_delay_s), 1'000'000u));
}

/// "Page file" in these members is the limit of committed memory: RAM and page
/// files together (MEMORYSTATUSEX).
static void learn_memory(WindowsHost& windows) {
    MEMORYSTATUSEX memory{};
    memory.dwLength = sizeof memory;
    if (!GlobalMemoryStatusEx(&memory))
        return;
    windows.commit_limit_mib = static_cast<std::int64_t>(memory.ullTotalPageFile >> 20);
    windows.commit_free_mib = static_cast<std::int64_t>(memory.ullAvailPageFile >> 20);
}

/// https://learn.microsoft.com/en-us/cpp/windows/redistributing-visual-cpp-files
static void learn_vc_runtime(WindowsHost& windows) {
    const std::string key = "SOFTWARE\\Microsoft\\VisualStudio\\14.0\\VC\\Runtimes\\x64";
    auto text = windows::registry_text(HKEY_LOCAL_MACHINE, key, "Version");
    if (!text)
        return;
    // "v14.38.33135.00"
    if (text->starts_with('v'))
        text->erase(0, 1);
    windows.vc_runtime = parse_version(*text);
}

static void run(const Job&, ProbeWriter& writer) {
    Facts facts;
    facts.host.platform = "windows";
    learn_version(facts.host);
    facts.host.machine = machine();
    facts.host.environment = variables_that_matter();
    facts.host.wsl = false;
    WindowsHost& windows = facts.host.windows.emplace();
    learn_gpu_timeout(windows);
    learn_memory(windows);
    learn_vc_runtime(windows);
    windows.driver_version = windows::registered_driver_version();
    writer.facts(facts);
}

extern const Probe probe{
    .title = "Reads the version of Windows, environment variables and limits",
    .stage = Stage::look,
    .limit = std::chrono::seconds(10),
    .run = run};

}  // namespace rnncheck::probes::host_system
