// A library of cuDNN 9, of which only the name, what it needs and the kind of its GPU code count.
#include <cstdint>

extern "C" __attribute__((visibility("default"))) int cudnn_part() {
    return 9;
}

// A later version has a function in ops that its adv calls.
#ifdef NEW_OPS
extern "C" __attribute__((visibility("default"))) int cudnn_new_function() {
    return 28;
}
#endif
#ifdef NEW_ADV
extern "C" int cudnn_new_function();
extern "C" __attribute__((visibility("default"))) int cudnn_adv_part() {
    return cudnn_new_function();
}
#endif

/// GPU code as nvcc stores it: a container with code for one GPU, which shows nothing about CUDA,
/// and one with PTX.
struct FatEntry {
    std::uint16_t kind, version;
    std::uint32_t header_size;
    std::uint64_t size;
    std::uint32_t compressed_size, flags;
    std::uint16_t minor, major;
    std::uint32_t architecture;
    char contents[16];
};
struct Container {
    std::uint32_t magic;
    std::uint16_t version, header_size;
    std::uint64_t size;
    FatEntry entry;
};
constexpr std::uint16_t header_size = sizeof(FatEntry) - sizeof FatEntry::contents;

__attribute__((section(".nv_fatbin"), used)) static const Container gpu_code[] = {
    {0xBA55ED50, 1, 16, sizeof(FatEntry), {2, 0x101, header_size, 16, 0, 0, 7, 1, 75, {}}},
    {0xBA55ED50,
     1,
     16,
     sizeof(FatEntry),
     {1, 0x101, header_size, 16, 0, 0, 8, PTX_MAJOR, 120, {}}}};
