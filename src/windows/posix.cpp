// POSIX functions by those of Windows, only as far as this program's sources
// use them: other arguments are ignored.
#include "windows/posix.hpp"

#include <windows.h>

#include <string_view>

/// F_GETFD alone: whether the descriptor is open.
int fcntl(int descriptor, int) {
    return _get_osfhandle(descriptor) < 0 ? -1 : 0;
}

int pipe(int* ends) {
    return _pipe(ends, 1 << 16, _O_BINARY | _O_NOINHERIT);
}

/// OVERLAPPED carries the offset, so that the position of the file is not used.
std::ptrdiff_t pread(int descriptor, void* to, std::size_t size, off_t offset) {
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(offset);
    place.OffsetHigh = static_cast<DWORD>(static_cast<unsigned long long>(offset) >> 32);
    DWORD got = 0;
    const auto file = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
    if (ReadFile(file, to, static_cast<DWORD>(size), &got, &place))
        return static_cast<std::ptrdiff_t>(got);
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : -1;
}

void* memmem(const void* all, std::size_t size, const void* part, std::size_t part_size) {
    const std::string_view text(static_cast<const char*>(all), size);
    const auto at = text.find(std::string_view(static_cast<const char*>(part), part_size));
    return at == std::string_view::npos ? nullptr : const_cast<char*>(text.data()) + at;
}

/// The NetBIOS name, of at most 15 characters.
int gethostname(char* name, std::size_t size) {
    auto length = static_cast<DWORD>(size);
    return GetComputerNameA(name, &length) ? 0 : -1;
}

/// TIOCGWINSZ alone, and of it the columns.
int ioctl(int descriptor, int, winsize* size) {
    CONSOLE_SCREEN_BUFFER_INFO about;
    if (!GetConsoleScreenBufferInfo(reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)), &about))
        return -1;
    size->ws_col = static_cast<unsigned short>(about.srWindow.Right - about.srWindow.Left + 1);
    return 0;
}

/// The whole file for reading: no caller maps a part of one.
void* mmap(void*, std::size_t, int, int, int file, int) {
    const HANDLE mapping = CreateFileMappingA(
        reinterpret_cast<HANDLE>(_get_osfhandle(file)), nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (!mapping)
        return MAP_FAILED;
    void* const memory = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
    CloseHandle(mapping);  // the view keeps it
    return memory;
}

int munmap(void* memory, std::size_t) {
    return UnmapViewOfFile(memory) ? 0 : -1;
}
