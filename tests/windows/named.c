/* A DLL that has the name of others in its read-only data. */
__declspec(dllexport) const char* name(void) {
    return NAMES;
}
