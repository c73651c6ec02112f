// usage: program LIBCUDNN CALLS   calls functions of the parts in this order, "goac", and prints
// which cuDNN files are mapped then; "failed" when a part did not open.
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

int main(int, char** arguments) {
    void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    auto* const call =
        library ? reinterpret_cast<void* (*)(char)>(dlsym(library, "call_part")) : nullptr;
    bool failed = !call;
    for (const char* part = arguments[2]; call && *part; ++part)
        failed |= !call(*part);
    if (failed)
        std::puts("failed");
    std::set<std::string> files;
    std::ifstream map("/proc/self/maps");
    for (std::string line; std::getline(map, line);)
        if (line.find("/libcudnn", line.rfind('/')) != std::string::npos)
            files.insert(line.substr(line.find('/')));
    for (const auto& file : files)
        std::cout << file << '\n';
}
