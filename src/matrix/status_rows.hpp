// What codes mean that NVIDIA's libraries return and its kernel module logs.
#pragma once

#include "matrix/row.hpp"

namespace rnncheck {

/// A status code of a library's functions, by its name in NVIDIA's header, and
/// what the documentation states about it.
struct StatusName : Row {
    std::string library;  ///< cudnn, cuda, cudart, nvml
    int major = 0;        ///< cuDNN's major; 0 for the others
    std::int64_t code = 0;
    std::string name;
    std::string meaning;
    std::string remedy;  ///< one clause, lower case, no full stop

    auto key() const {
        return std::tie(library, major, code);
    }
    RNNCHECK_COLUMNS(library, major, code, name, meaning, remedy)
    static constexpr std::string_view may_be_missing[] = {"meaning", "remedy"};
};

/// An event that the NVIDIA kernel module logs as "NVRM: Xid".
struct Xid : Row {
    int xid = 0;
    std::string name;
    std::string meaning;
    std::string remedy;  ///< one clause; "": none needed

    auto key() const {
        return xid;
    }
    RNNCHECK_COLUMNS(xid, name, meaning, remedy)
    static constexpr std::string_view may_be_missing[] = {"remedy"};
};

}  // namespace rnncheck
