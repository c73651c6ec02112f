// Windows' functions take UTF-16; inside this program texts are UTF-8.
#include "windows/system.hpp"

namespace rnncheck::windows {

std::wstring utf16(std::string_view text) {
    const int size = static_cast<int>(text.size());
    std::wstring wide(
        static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0)),
        L'\0');
    MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(), static_cast<int>(wide.size()));
    return wide;
}

std::string utf8(std::wstring_view text) {
    const int size = static_cast<int>(text.size());
    const int bytes =
        WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
    std::string narrow(static_cast<std::size_t>(bytes), '\0');
    WideCharToMultiByte(CP_UTF8, 0, text.data(), size, narrow.data(), bytes, nullptr, nullptr);
    return narrow;
}

std::string error_text(DWORD error) {
    wchar_t words[512] = {};
    const DWORD flags =
        FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
    const DWORD size =
        FormatMessageW(flags, nullptr, error, 0, words, DWORD{std::size(words)}, nullptr);
    std::string text = utf8({words, size});
    while (!text.empty() && text.back() == ' ')
        text.pop_back();
    std::string number = "error " + std::to_string(error);
    if (text.empty())
        return number;
    return number + ": " + text;
}

std::string file_of_module(HMODULE module) {
    // of a path, in UTF-16 units
    constexpr DWORD longest = 1 << 15;
    std::wstring path(longest, L'\0');
    path.resize(GetModuleFileNameW(module, path.data(), longest));
    return utf8(path);
}

void reject_dialogs() {
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
}

namespace {

/// As CommandLineToArgvW and the C library split them:
/// https://learn.microsoft.com/en-us/cpp/c-language/parsing-c-command-line-arguments
std::wstring quoted(const std::wstring& argument) {
    std::wstring text = L"\"";
    std::size_t slashes = 0;
    for (const wchar_t c : argument) {
        if (c == L'"')
            text.append(slashes + 1, L'\\');
        slashes = c == L'\\' ? slashes + 1 : 0;
        text += c;
    }
    text.append(slashes, L'\\');
    return text + L'"';
}

}  // namespace

std::wstring command_line(const std::vector<std::string>& arguments) {
    std::wstring line;
    for (const std::string& argument : arguments)
        line += (line.empty() ? L"" : L" ") + quoted(utf16(argument));
    return line;
}

}  // namespace rnncheck::windows
