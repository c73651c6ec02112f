// Compares our declaration of a vendor function with the vendor's, parameter by parameter, at
// compile time. The idea of an own declaration with the header as its witness was seen in NVIDIA's
// CCCL and in Legate.
#pragma once

#include <type_traits>

namespace rnncheck::abi {

template <class Ours, class Theirs>
struct Conforms : std::false_type {};

/// Both travel alike through a call: the same type; an enumeration against an integer of its size;
/// pointers to things that travel alike, with the same constness; two structures never looked into;
/// structures of the same size.
template <class Ours, class Theirs>
constexpr bool travels_alike() {
    if constexpr (std::is_same_v<Ours, Theirs>)
        return true;
    else if constexpr (std::is_enum_v<Theirs> && std::is_integral_v<Ours>)
        return sizeof(Ours) == sizeof(Theirs);
    else if constexpr (std::is_integral_v<Ours> && std::is_integral_v<Theirs>)
        return sizeof(Ours) == sizeof(Theirs) && std::is_signed_v<Ours> == std::is_signed_v<Theirs>;
    else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
        using A = std::remove_pointer_t<Ours>;
        using B = std::remove_pointer_t<Theirs>;
        if constexpr (std::is_const_v<A> != std::is_const_v<B>)
            return false;
        else if constexpr (std::is_function_v<A>)
            return Conforms<A, B>::value;
        else
            return travels_alike<std::remove_const_t<A>, std::remove_const_t<B>>();
    } else if constexpr (std::is_class_v<Ours> && std::is_class_v<Theirs>) {
        if constexpr (
            requires { sizeof(Ours); } && requires { sizeof(Theirs); })
            return sizeof(Ours) == sizeof(Theirs);
        else
            return true;
    } else
        return false;
}

template <class R1, class... P1, class R2, class... P2>
struct Conforms<R1(P1...), R2(P2...)> {
    static constexpr bool parameters() {
        if constexpr (sizeof...(P1) != sizeof...(P2))
            return false;
        else
            return (travels_alike<P1, P2>() && ...);
    }
    static constexpr bool value = travels_alike<R1, R2>() && parameters();
};

// The comparer itself, on toys: what must be equal and what must not.
struct Opaque;
struct TheirOpaque;
struct Four {
    int a;
};
struct Eight {
    long a;
};
enum Small { one };
using OpaquePointer = Opaque*;
using TheirPointer = TheirOpaque*;
static_assert(Conforms<int(int), Small(int)>::value);
static_assert(Conforms<int(OpaquePointer*, int), Small(TheirPointer*, Small)>::value);
static_assert(Conforms<int(const int*), Small(const Small*)>::value);
static_assert(Conforms<void(char*), void(char*)>::value);
static_assert(!Conforms<int(int), Small(long)>::value);
static_assert(!Conforms<int(int), Small(int, int)>::value);
static_assert(!Conforms<int(int*), Small(const int*)>::value);
static_assert(!Conforms<int(int*), Small(int)>::value);
static_assert(!Conforms<int(unsigned), Small(int)>::value);
static_assert(!Conforms<int(float), Small(double)>::value);
static_assert(!Conforms<int(Four*), Small(Eight*)>::value);
static_assert(!Conforms<void(int), int(int)>::value);
static_assert(Conforms<int(void (*)(int)), int(void (*)(Small))>::value);
static_assert(!Conforms<int(void (*)(int)), int(void (*)(long))>::value);

}  // namespace rnncheck::abi
