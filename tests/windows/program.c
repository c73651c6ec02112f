/* A program that ends as its first argument selects, for `rnncheck exec`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static BOOL WINAPI interrupted(DWORD event) {
    printf("interrupted by %lu\n", (unsigned long)event);
    fflush(stdout);
    ExitProcess(5);
}

/* Waits for Ctrl-C, after it has printed that it does. */
static int wait_for_interrupt(const char* file) {
    SetConsoleCtrlHandler(interrupted, TRUE);
    fclose(fopen(file, "w"));
    Sleep(20000);
    return 6;
}

/* The arguments as UTF-8, a line for each. */
static void print_arguments(void) {
    int count = 0;
    wchar_t** const arguments = CommandLineToArgvW(GetCommandLineW(), &count);
    for (int i = 1; i < count; ++i) {
        char text[256] = "";
        WideCharToMultiByte(CP_UTF8, 0, arguments[i], -1, text, sizeof text, NULL, NULL);
        printf("%s\n", text);
    }
    fflush(stdout);
}

int main(int count, char** arguments) {
    const char* what = count > 1 ? arguments[1] : "";
    print_arguments();
    if (strcmp(what, "crash") == 0)
        *(volatile int*)8 = 1;
    if (strcmp(what, "abort") == 0)
        __asm__ volatile("int $0x29" : : "c"(7)); /* __fastfail(FAST_FAIL_FATAL_APP_EXIT) */
    if (strcmp(what, "wait") == 0)
        return wait_for_interrupt(arguments[2]);
    return strcmp(what, "input") == 0 ? getchar() : atoi(what);
}
