// Opens vendor libraries and calls them; every call is reported before it is
// made. Must not evaluate or print, and never unloads: the process ends anyway.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "process/wire.hpp"

namespace rnncheck::vendor {

/// A function of a vendor library that knows its own exported name;
/// empty when the library lacks it.
template <class Signature>
struct Symbol;

template <class Result, class... Parameters>
struct Symbol<Result(Parameters...)> {
    const char* name;
    Result (*function)(Parameters...) = nullptr;

    explicit operator bool() const {
        return function != nullptr;
    }
};

/// An opened library, or why it could not be opened.
struct Library {
    void* handle = nullptr;
    /// the file really opened, as the loader reports it
    std::string path;
    /// Of opening it (the system's call, such as dlopen, and the loader's own
    /// words) or preparing it; no call may follow.
    std::optional<CallResult> failure;

    void* symbol(const char* name) const;
};

/// From now on open_library fails with the code would_block for the names and
/// paths for which `reason` gives a text.
void reject_openings(std::function<std::optional<std::string>(const std::string& name)> reason);

/// The names by which every program opens the driver's libraries.
extern const std::string driver_library, nvml_library;

/// The call that opens a library, as it is reported: "dlopen(libcuda.so.1)".
std::string opening_of(const std::string& name);

/// With all that it needs at once, as frameworks open them. A path that leads to no regular
/// file is not opened: a pipe would wait forever. A failure is reported to the writer.
Library open_library(ProbeWriter& writer, const std::string& name);

/// Files mapped into this process whose name contains `part`, sorted, each once.
std::vector<std::string> mapped_files(const std::string& part);

/// A call that returns no status. The symbol must be there.
template <class Result, class... Parameters, class... Arguments>
Result call(
    ProbeWriter& writer, const Symbol<Result(Parameters...)>& symbol, Arguments... arguments) {
    writer.calling(symbol.name);
    return symbol.function(arguments...);
}

/// The text of a status by the library's own function, whose member of the Api
/// is status_words; empty where it has none.
template <class Api>
std::string status_text(ProbeWriter& writer, const Api& api, int code) {
    const auto& function = api.*Api::status_words;
    const char* text = nullptr;
    if (function)
        text = call(writer, function, code);
    if (!text)
        return "";
    return text;
}

/// A library with its functions as members. For its Api, status_text() gives the text
/// of a status, and before_call(), if there is one, is called before every call.
template <class Api>
struct Opened : Api {
    ProbeWriter* writer = nullptr;

    /// A call that returns a status; one other than 0 is reported to the writer
    /// with the library's own words.
    template <class... Parameters, class... Arguments>
    CallResult check(const Symbol<int(Parameters...)>& symbol, Arguments... arguments) const {
        const Api& api = *this;
        CallResult result{symbol.name, missing_symbol, "the library does not export this function"};
        if (symbol) {
            if constexpr (requires { before_call(*writer, api); })
                before_call(*writer, api);
            result.code = vendor::call(*writer, symbol, arguments...);
            result.text.clear();
            if (!result.ok())
                result.text = status_text(*writer, api, static_cast<int>(result.code));
        }
        if (!result.ok())
            writer->failed(result);
        return result;
    }
};

/// The library need not have opened: `failure` is then set, and every
/// check() fails with missing_symbol.
template <class Api>
Opened<Api> open_as(ProbeWriter& writer, const std::string& name) {
    return {{open_library(writer, name)}, &writer};
}

/// Calls in a row: the first that fails is kept, and those after it are left out.
struct Calls {
    /// of the last call made
    CallResult result;

    bool ok() const {
        return result.ok();
    }
    std::optional<CallResult> failure() const {
        if (ok())
            return std::nullopt;
        return result;
    }

    /// True if this call and all before it succeeded.
    template <class Api, class... Parameters, class... Arguments>
    bool operator()(
        const Opened<Api>& library,
        const Symbol<int(Parameters...)>& symbol,
        Arguments... arguments) {
        if (ok())
            result = library.check(symbol, arguments...);
        return ok();
    }
};

}  // namespace rnncheck::vendor

// A list of functions X(name, result, (parameters)) becomes members
// of an Api, which is a Library.
#define RNNCHECK_SYMBOL(name, result, parameters)       \
    ::rnncheck::vendor::Symbol<result parameters> name{ \
        #name, reinterpret_cast<result(*) parameters>(symbol(#name))};
