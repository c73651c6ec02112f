// Handles and texts of Windows; included by sources of this directory alone.
#pragma once

// clang-format off
#include <windows.h>
#include <psapi.h>  // which needs it
// clang-format on

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnncheck::windows {

/// A handle that closes itself.
class Handle {
  public:
    Handle() = default;
    explicit Handle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {
    }
    Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {
    }
    Handle& operator=(Handle&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Handle() {
        close();
    }

    HANDLE get() const {
        return handle_;
    }
    explicit operator bool() const {
        return handle_ != nullptr;
    }
    void close() {
        if (handle_)
            CloseHandle(handle_);
        handle_ = nullptr;
    }

  private:
    HANDLE handle_ = nullptr;
};

/// What is no UTF-8 becomes U+FFFD.
std::wstring utf16(std::string_view text);

/// What is no character becomes U+FFFD.
std::string utf8(std::wstring_view text);

/// "error 126: The specified module could not be found."
std::string error_text(DWORD error);

/// The arguments, of which the first is the program, as one line that C
/// libraries read as the same arguments.
std::wstring command_line(const std::vector<std::string>& arguments);

/// The file of a module of this process; of the program without one.
std::string file_of_module(HMODULE module);

/// In place of dialogs that wait for a person, errors are returned.
/// Started processes inherit that.
void reject_dialogs();

}  // namespace rnncheck::windows
