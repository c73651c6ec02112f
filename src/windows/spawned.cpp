// Processes on Windows: each in a job object, which ends with its last handle
// and with it all that the process started.
#include "process/spawned.hpp"

#include <windows.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "base/lists.hpp"
#include "windows/crash.hpp"
#include "windows/system.hpp"

namespace rnncheck::process {

using windows::Handle;

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// no code of Windows: bit 29 is for applications
constexpr UINT ended_by_us = 0xE0000001;
constexpr std::size_t most_unread = 1 << 20;

/// What the threads that read have in common with the one that looks.
struct News {
    std::mutex mutex;
    std::condition_variable changed;
};

/// Never destroyed: a thread may still read while the program exits.
News& news() {
    static News& shared = *new News;
    return shared;
}

/// A thread that works on one end of a pipe until the other is closed. It is
/// waited for at the end of its life, as long as the other end may be expected
/// to be closed: while the program exits, no thread is to run.
class PipeThread {
  public:
    PipeThread() = default;
    PipeThread(const PipeThread&) = delete;
    PipeThread& operator=(const PipeThread&) = delete;
    ~PipeThread() {
        if (!thread_.joinable())
            return;
        constexpr milliseconds patience(500);
        if (has_ended_within(patience))
            thread_.join();
        else
            thread_.detach();
    }

    /// `work` may outlive this object.
    void start(std::function<void()> work) {
        ended_ = std::make_shared<bool>(false);
        thread_ = std::thread([work = std::move(work), ended = ended_] {
            work();
            const std::lock_guard lock(news().mutex);
            *ended = true;
            news().changed.notify_all();
        });
    }

    bool is_started() const {
        return ended_ != nullptr;
    }
    /// With the lock.
    bool has_ended() const {
        return *ended_;
    }
    bool has_ended_within(milliseconds longest) const {
        std::unique_lock lock(news().mutex);
        return news().changed.wait_for(lock, longest, [this] { return has_ended(); });
    }

  private:
    std::shared_ptr<bool> ended_;
    std::thread thread_;
};

/// A pipe of Windows cannot be waited for together with others: a thread reads it.
class Stream {
  public:
    /// a thread that waits for room goes on
    ~Stream() {
        taken();
    }

    void read_from(Handle pipe) {
        auto shared_pipe = std::make_shared<Handle>(std::move(pipe));
        thread_.start([bytes = bytes_, shared_pipe] { read_all(shared_pipe->get(), *bytes); });
    }

    std::string taken() {
        const std::lock_guard lock(news().mutex);
        news().changed.notify_all();
        return std::exchange(*bytes_, "");
    }
    bool is_open() const {
        const std::lock_guard lock(news().mutex);
        return thread_.is_started() && !(thread_.has_ended() && bytes_->empty());
    }
    /// With the lock.
    bool has_news() const {
        return !bytes_->empty();
    }

    void wait_for_end(milliseconds longest) const {
        std::unique_lock lock(news().mutex);
        news().changed.wait_for(
            lock, longest, [this] { return thread_.has_ended() || bytes_->size() >= most_unread; });
    }

  private:
    static void read_all(HANDLE pipe, std::string& bytes) {
        std::string block(1 << 16, '\0');
        DWORD got = 0;
        while (ReadFile(pipe, block.data(), static_cast<DWORD>(block.size()), &got, nullptr) &&
               got > 0) {
            std::unique_lock lock(news().mutex);
            news().changed.wait(lock, [&] { return bytes.size() < most_unread; });
            bytes.append(block, 0, got);
            news().changed.notify_all();
        }
    }

    std::shared_ptr<std::string> bytes_ = std::make_shared<std::string>();
    PipeThread thread_;
};

/// An anonymous pipe (CreatePipe), which only threads can wait for.
struct Pipe {
    Handle read, write;
};

/// Only handles of the attribute list are inherited, but those must be inheritable as well.
Handle inheritable(HANDLE handle) {
    SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    return Handle(handle);
}

enum class ForChild { read, write };

Pipe make_pipe(ForChild end) {
    HANDLE read = nullptr, write = nullptr;
    constexpr DWORD bytes = 1 << 16;
    if (!CreatePipe(&read, &write, nullptr, bytes))
        return {};
    if (end == ForChild::read)
        return {inheritable(read), Handle(write)};
    return {Handle(read), inheritable(write)};
}

/// With the last handle of the job all of its processes end: so a crash of
/// this program leaves none behind.
Handle make_job() {
    Handle job(CreateJobObjectW(nullptr, nullptr));
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

/// Names of variables are equal without case; the first character may be '='
/// ("=C:" has the directory of drive C).
bool is_same_variable(const std::wstring& one, const std::wstring& other) {
    const auto name_size = [](const std::wstring& text) {
        return static_cast<int>(text.find(L'=', 1));
    };
    return CompareStringOrdinal(one.data(), name_size(one), other.data(), name_size(other), TRUE) ==
           CSTR_EQUAL;
}

/// Our environment with `extra` in place of variables of the same
/// name, as CreateProcess takes it.
std::wstring environment_with(const std::vector<std::string>& extra) {
    const std::vector<std::wstring> added = mapped(extra, windows::utf16);
    std::wstring block;
    wchar_t* const own = GetEnvironmentStringsW();
    for (const wchar_t* entry = own; *entry; entry += std::wcslen(entry) + 1) {
        const std::wstring variable = entry;
        if (std::ranges::none_of(
                added, [&](const auto& other) { return is_same_variable(variable, other); }))
            block += variable + L'\0';
    }
    FreeEnvironmentStringsW(own);
    for (const std::wstring& variable : added)
        block += variable + L'\0';
    return block + L'\0';
}

/// The descriptors 0 and above of a C library's program: how
/// STARTUPINFO::lpReserved2 holds them, which _spawn fills and libuv documents
/// (uv__stdio_create in src/win/process-stdio.c).
std::string descriptors(const std::vector<HANDLE>& handles) {
    constexpr char is_open = 0x01, is_pipe = 0x08;  // FOPEN, FPIPE
    const auto count = static_cast<std::int32_t>(handles.size());
    std::string table(reinterpret_cast<const char*>(&count), sizeof count);
    table.append(handles.size(), is_open | is_pipe);
    for (const HANDLE& handle : handles)
        table.append(reinterpret_cast<const char*>(&handle), sizeof handle);
    return table;
}

/// What a started process is given beside its command line; freed at the end of the scope.
class Attributes {
  public:
    Attributes(std::vector<HANDLE> handles, HANDLE job) : handles_(std::move(handles)), job_(job) {
        constexpr DWORD count = 2;
        SIZE_T size = 0;
        InitializeProcThreadAttributeList(nullptr, count, 0, &size);
        memory_.resize(size);
        InitializeProcThreadAttributeList(list(), count, 0, &size);
        UpdateProcThreadAttribute(
            list(),
            0,
            PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
            handles_.data(),
            handles_.size() * sizeof(HANDLE),
            nullptr,
            nullptr);
        UpdateProcThreadAttribute(
            list(), 0, PROC_THREAD_ATTRIBUTE_JOB_LIST, &job_, sizeof job_, nullptr, nullptr);
    }
    ~Attributes() {
        DeleteProcThreadAttributeList(list());
    }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;

    LPPROC_THREAD_ATTRIBUTE_LIST list() {
        return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data());
    }

  private:
    std::vector<HANDLE> handles_;
    HANDLE job_;
    std::string memory_;
};

/// The end of the input is what closes the pipe, so a thread may be late.
void write_all(const Handle& pipe, const std::string& text) {
    std::string_view rest = text;
    DWORD wrote = 0;
    while (!rest.empty() &&
           WriteFile(pipe.get(), rest.data(), static_cast<DWORD>(rest.size()), &wrote, nullptr))
        rest.remove_prefix(wrote);
}

bool is_crash(DWORD code) {
    // NTSTATUS of errors and warnings, exceptions of C++ (0xE06D7363) and of delayed imports
    // (0xC06D007E); exit(-1) is 0xFFFFFFFF.
    // https://learn.microsoft.com/en-us/windows-hardware/drivers/kernel/defining-new-ntstatus-values
    constexpr DWORD first = 0x80000000, last = 0xEFFFFFFF;
    return code >= first && code <= last;
}

}  // namespace

struct Spawned::State {
    std::optional<std::string> failure;
    std::string input;
    Handle to, process, job;
    PipeThread writer;
    Stream answers, output;
    std::string end_of_output;
    Clock::time_point last_line = Clock::now();
    bool has_exited = false;
};

Spawned::Spawned(const Command& command) : state_(std::make_unique<State>()) {
    windows::reject_dialogs();
    Pipe input = make_pipe(ForChild::read), answers = make_pipe(ForChild::write),
         output = make_pipe(ForChild::write);
    const Handle nothing = inheritable(CreateFileW(
        L"NUL",
        GENERIC_READ,
        FILE_SHARE_READ | FILE_SHARE_WRITE,
        nullptr,
        OPEN_EXISTING,
        0,
        nullptr));
    Handle job = make_job();
    const std::vector<HANDLE> handles = {
        nothing.get(), output.write.get(), input.read.get(), answers.write.get()};
    if (includes(handles, nullptr) || !job) {
        state_->failure =
            "a pipe or job could not be created: " + windows::error_text(GetLastError());
        return;
    }
    Attributes attributes(handles, job.get());
    std::string table = descriptors({handles[0], handles[1], handles[1], handles[2], handles[3]});
    STARTUPINFOEXW how{};
    how.StartupInfo.cb = sizeof how;
    how.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    how.StartupInfo.hStdInput = handles[0];
    how.StartupInfo.hStdOutput = how.StartupInfo.hStdError = handles[1];
    how.StartupInfo.cbReserved2 = static_cast<WORD>(table.size());
    how.StartupInfo.lpReserved2 = reinterpret_cast<LPBYTE>(table.data());
    how.lpAttributeList = attributes.list();
    std::wstring line = windows::command_line(command.arguments),
                 environment = environment_with(command.extra_environment);
    PROCESS_INFORMATION started{};
    const DWORD flags =
        EXTENDED_STARTUPINFO_PRESENT | CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT;
    if (!CreateProcessW(
            windows::utf16(command.arguments[0]).c_str(),
            line.data(),
            nullptr,
            nullptr,
            TRUE,
            flags,
            environment.data(),
            nullptr,
            &how.StartupInfo,
            &started)) {
        state_->failure =
            command.arguments[0] + " could not be started: " + windows::error_text(GetLastError());
        return;
    }
    CloseHandle(started.hThread);
    state_->process = Handle(started.hProcess);
    state_->job = std::move(job);
    state_->input = command.input;
    state_->to = std::move(input.write);
    state_->answers.read_from(std::move(answers.read));
    state_->output.read_from(std::move(output.read));
}

Spawned::~Spawned() {
    if (!is_known())
        return;
    kill();
    // one that hangs inside the kernel does not end
    constexpr DWORD patience_ms = 3000;
    WaitForSingleObject(state_->process.get(), patience_ms);
}

const std::optional<std::string>& Spawned::failure() const {
    return state_->failure;
}

bool Spawned::is_known() const {
    return static_cast<bool>(state_->process);
}

void Spawned::forget() {
    state_->process.close();
}

void Spawned::write_input() {
    if (!state_->to)
        return;
    auto to = std::make_shared<Handle>(std::move(state_->to));
    state_->writer.start([input = std::move(state_->input), to]() mutable {
        write_all(*to, input);
        to.reset();
    });
}

/// Once it has exited, with what is still in the pipe.
constexpr milliseconds patience_with_rest(500);

std::string Spawned::new_messages() {
    if (state_->has_exited)
        state_->answers.wait_for_end(patience_with_rest);
    return state_->answers.taken();
}

bool Spawned::messages_are_open() const {
    return state_->answers.is_open();
}

std::string Spawned::new_output() {
    if (state_->has_exited)
        state_->output.wait_for_end(patience_with_rest);
    std::string text = state_->output.taken();
    // a line may come in pieces
    constexpr std::size_t longest_end = 1 << 14;
    state_->end_of_output += text;
    if (state_->end_of_output.size() > longest_end)
        state_->end_of_output.erase(0, state_->end_of_output.size() - longest_end);
    return text;
}

bool Spawned::has_exited() {
    state_->has_exited = WaitForSingleObject(state_->process.get(), 0) == WAIT_OBJECT_0;
    return state_->has_exited;
}

/// Windows does not show it.
bool Spawned::is_exiting() const {
    return false;
}

std::optional<Hang> Spawned::inspect() const {
    return std::nullopt;
}

/// With all processes of the job, as kill() of a group does elsewhere.
void Spawned::kill() {
    TerminateJobObject(state_->job.get(), ended_by_us);
}

/// An exit code that is an NTSTATUS is that of a crash, and the
/// process has written where it was.
Spawned::End Spawned::end() {
    End end;
    DWORD code = 0;
    GetExitCodeProcess(state_->process.get(), &code);
    PROCESS_MEMORY_COUNTERS memory{};
    if (K32GetProcessMemoryInfo(state_->process.get(), &memory, sizeof memory) &&
        memory.PeakWorkingSetSize > 0)
        end.peak_memory_mib =
            static_cast<std::int64_t>((memory.PeakWorkingSetSize + (1 << 20) - 1) >> 20);
    if (is_crash(code)) {
        const auto file = windows::fault_in(state_->end_of_output);
        end.signal = windows::exception_name(code) + (file ? " in " + *file : "");
    } else {
        end.exit_code = static_cast<int>(code);
    }
    return end;
}

/// All time counts: the processor time of another process is no measure under
/// Wine, and nothing shows how long a process waited for a processor.
milliseconds Spawned::time_run() {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - state_->last_line);
}

void Spawned::restart_clock() {
    state_->last_line = Clock::now();
}

void Spawned::wait(const std::vector<Awaited>& awaited, milliseconds longest) {
    std::unique_lock lock(news().mutex);
    news().changed.wait_for(lock, longest, [&] {
        return std::ranges::any_of(awaited, [](const Awaited& one) {
            const State& state = *one.process->state_;
            return state.output.has_news() || (one.by_lines && state.answers.has_news());
        });
    });
}

const Wire& wire() {
    static const Wire behind_standard_streams{3, 4};
    return behind_standard_streams;
}

int capacity() {
    // three threads each
    return 64;
}

}  // namespace rnncheck::process
