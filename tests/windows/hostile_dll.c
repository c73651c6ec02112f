/* A driver library that behaves as the variable HOSTILE selects, in cuInit or while it is loaded. */
#include <windows.h>

extern IMAGE_DOS_HEADER __ImageBase;

static int is(const char* behavior) {
    char text[64] = "";
    GetEnvironmentVariableA("HOSTILE", text, sizeof text);
    return lstrcmpA(text, behavior) == 0;
}

static int overflow(volatile char* before) {
    volatile char more[1 << 16];
    more[0] = *before;
    return overflow(more) + more[1];
}

static DWORD WINAPI crash(void* nothing) {
    *(volatile int*)8 = 1;
    return nothing != 0;
}

BOOL WINAPI DllMain(HINSTANCE library, DWORD reason, void* reserved) {
    (void)library, (void)reserved;
    if (reason != DLL_PROCESS_ATTACH)
        return TRUE;
    if (is("hang in DllMain"))
        Sleep(INFINITE);
    if (is("exit in DllMain"))
        ExitProcess(3);
    return !is("DllMain fails");
}

__declspec(dllexport) int cuInit(unsigned flags) {
    volatile int zero = (int)flags;
    if (is("crash"))
        crash(0);
    if (is("crash in a thread"))
        WaitForSingleObject(CreateThread(0, 0, crash, 0, 0, 0), INFINITE);
    if (is("illegal instruction"))
        __builtin_trap();
    if (is("division by zero"))
        return 7 / zero;
    if (is("stack overflow"))
        return overflow("");
    if (is("exception")) /* as Microsoft's compilers throw: what, its type, and where the module begins */
        RaiseException(0xE06D7363, EXCEPTION_NONCONTINUABLE, 4,
                       (const ULONG_PTR[]){0x19930520, 0, 0, (ULONG_PTR)&__ImageBase});
    if (is("abort"))
        TerminateProcess(GetCurrentProcess(), 0xC0000409);
    if (is("exit"))
        ExitProcess(3);
    if (is("exit with success"))
        TerminateProcess(GetCurrentProcess(), 0);
    if (is("hang"))
        Sleep(INFINITE);
    if (is("loop"))
        for (;;)
            zero = 0;
    return 100; /* CUDA_ERROR_NO_DEVICE */
}

__declspec(dllexport) int cuDriverGetVersion(int* version) {
    *version = 12040;
    return 0;
}
