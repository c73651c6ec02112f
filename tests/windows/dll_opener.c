/* Loads DLLs as a list of requests names and writes which files they came from: the truth beside which
   dll_truth_test.cpp puts the prediction. `opener.exe CASES` starts `PROGRAM CASE` for each line of CASES;
   the program, which is this one in another directory, reads CASE.requests and writes CASE.loaded.

   A case is a line PROGRAM|DIRECTORY|PATH|CASE; requests are lines of a letter and what it concerns:
   s DIRECTORY  SetDllDirectory     a DIRECTORY  AddDllDirectory     d FLAGS  SetDefaultDllDirectories
   l FLAGS NAME  LoadLibraryEx      m NAME  GetModuleHandle */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum { longest = 1 << 15 };

static void write_file_of(FILE* to, HMODULE module) {
    char path[longest] = "";
    if (module && GetModuleFileNameA(module, path, longest))
        fprintf(to, "%s\n", path);
    else
        fprintf(to, "-\n");
}

static void follow(char* request, FILE* to) {
    char* const about = request + 2;
    wchar_t wide[longest];
    mbstowcs(wide, about, longest);
    if (*request == 's')
        SetDllDirectoryA(about);
    if (*request == 'a')
        AddDllDirectory(wide);
    if (*request == 'd')
        SetDefaultDllDirectories(strtoul(about, NULL, 0));
    if (*request == 'l') {
        char* name = about;
        const DWORD flags = strtoul(about, &name, 0);
        write_file_of(to, LoadLibraryExA(name + 1, NULL, flags));
    }
    if (*request == 'm')
        write_file_of(to, GetModuleHandleA(about));
}

static int follow_all(const char* name) {
    char path[longest], line[longest];
    snprintf(path, sizeof path, "%s.requests", name);
    FILE* const from = fopen(path, "r");
    snprintf(path, sizeof path, "%s.loaded", name);
    FILE* const to = fopen(path, "w");
    while (from && to && fgets(line, sizeof line, from)) {
        line[strcspn(line, "\r\n")] = 0;
        follow(line, to);
    }
    return !to || fclose(to) != 0;
}

static void start(char* line) {
    char* const program = strtok(line, "|");
    char* const directory = strtok(NULL, "|");
    char* const path = strtok(NULL, "|");
    char* const name = strtok(NULL, "|");
    char command[longest];
    snprintf(command, sizeof command, "\"%s\" one %s", program, name);
    SetEnvironmentVariableA("PATH", path);
    STARTUPINFOA about = {sizeof about};
    PROCESS_INFORMATION process;
    if (!CreateProcessA(program, command, NULL, NULL, FALSE, 0, NULL, directory, &about, &process))
        return;
    WaitForSingleObject(process.hProcess, INFINITE);
    CloseHandle(process.hProcess);
    CloseHandle(process.hThread);
}

int main(int count, char** arguments) {
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX);
    if (count == 3 && strcmp(arguments[1], "one") == 0)
        return follow_all(arguments[2]);
    static char line[longest];
    FILE* const cases = count == 2 ? fopen(arguments[1], "r") : NULL;
    while (cases && fgets(line, sizeof line, cases)) {
        line[strcspn(line, "\r\n")] = 0;
        start(line);
    }
    return cases == NULL;
}
