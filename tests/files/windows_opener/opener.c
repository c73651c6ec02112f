// A program of Windows that loads DLLs in the order of its arguments and prints where each came from.
//   path=C:\a;C:\b   user=C:\c   load=FLAGS:NAME   where=NAME
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static void print_module(HMODULE module, unsigned long error) {
    char path[1024];
    if (module && GetModuleFileNameA(module, path, sizeof path))
        printf("%s\n", path);
    else
        printf("error %lu\n", error);
}

static void add_user_directory(const char* directory) {
    wchar_t wide[1024];
    mbstowcs(wide, directory, 1024);
    AddDllDirectory(wide);
}

int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        char* value = strchr(arguments[i], '=');
        if (!value) return 2;
        *value++ = '\0';
        if (strcmp(arguments[i], "path") == 0) SetEnvironmentVariableA("PATH", value);
        if (strcmp(arguments[i], "user") == 0) add_user_directory(value);
        if (strcmp(arguments[i], "where") == 0) print_module(GetModuleHandleA(value), 0);
        if (strcmp(arguments[i], "load") == 0) {
            char* name = NULL;
            const unsigned long flags = strtoul(value, &name, 10);
            const HMODULE module = LoadLibraryExA(name + 1, NULL, flags);
            print_module(module, GetLastError());
        }
    }
    return 0;
}
