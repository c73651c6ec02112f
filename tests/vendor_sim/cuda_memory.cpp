// The simulated libcuda: device memory, which is host memory.
#include <algorithm>
#include <cstring>
#include <map>
#include <new>

#include "cuda_state.hpp"

using namespace rnncheck::vendor;
using namespace sim;

RNNCHECK_CUDA_FUNCTIONS(SIM_DECLARE)

namespace {

/// Of the host, by one process: a search for the largest network must not take the memory of the
/// machine that tests.
constexpr std::size_t most_host_memory = std::size_t{256} << 20;

/// As cuMemAlloc aligns, by the CUDA C++ Programming Guide.
constexpr std::align_val_t alignment{256};

std::map<DevicePointer, std::size_t>& allocations() {
    static std::map<DevicePointer, std::size_t> sizes;
    return sizes;
}

bool inside(DevicePointer begin, std::size_t bytes) {
    auto next = allocations().upper_bound(begin);
    if (next == allocations().begin())
        return false;
    const auto& [start, size] = *--next;
    return begin - start <= size && bytes <= size - (begin - start);
}

std::size_t allocated() {
    std::size_t sum = 0;
    for (const auto& [start, size] : allocations())
        sum += size;
    return sum;
}

void* host(DevicePointer pointer) {
    return reinterpret_cast<void*>(pointer);
}

}  // namespace

int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total) {
    if (const auto forced = entering_context(__func__))
        return *forced;
    const Tags tags = board_tags(driver().current);
    *total = static_cast<std::size_t>(number("mem_total", 24'576, tags)) << 20;
    *free_bytes = (static_cast<std::size_t>(number("mem_free", 23'900, tags)) << 20) - allocated();
    return 0;
}

int cuMemAlloc_v2(DevicePointer* pointer, std::size_t bytes) {
    if (const auto forced = entering_context(__func__))
        return *forced;
    if (bytes == 0)
        return cuda_invalid_value;
    const auto free_bytes =
        static_cast<std::size_t>(number("mem_free", 23'900, board_tags(driver().current))) << 20;
    const std::size_t usable = std::min(free_bytes, most_host_memory);
    if (bytes > usable || allocated() > usable - bytes)
        return cuda_out_of_memory;
    void* const memory = ::operator new(bytes, alignment);
    std::memset(memory, 0xAB, bytes);  // fresh memory holds anything but zeros
    *pointer = reinterpret_cast<DevicePointer>(memory);
    allocations()[*pointer] = bytes;
    return 0;
}

int cuMemFree_v2(DevicePointer pointer) {
    if (const auto forced = entering_context(__func__))
        return *forced;
    if (allocations().erase(pointer) == 0)
        return cuda_invalid_value;
    ::operator delete(host(pointer), alignment);
    return 0;
}

int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
    if (const auto forced = entering_context(__func__))
        return *forced;
    if (!inside(to, bytes))
        return cuda_invalid_value;
    std::memcpy(host(to), from, bytes);
    return 0;
}

int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
    if (const auto forced = entering_context(__func__))
        return *forced;
    if (!inside(from, bytes))
        return cuda_invalid_value;
    std::memcpy(to, host(from), bytes);
    return 0;
}

int cuMemsetD8_v2(DevicePointer to, unsigned char value, std::size_t bytes) {
    if (const auto forced = entering_context(__func__))
        return *forced;
    if (!inside(to, bytes))
        return cuda_invalid_value;
    std::memset(host(to), value, bytes);
    return 0;
}
