// Opens vendor libraries and calls them, leaving a breadcrumb before every call. The only user of <dlfcn.h>.
// May not judge or print, and never unloads: the process ends anyway.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "process/wire.hpp"

namespace rnncheck::vendor {

/// A function of a vendor library that knows its own exported name; empty when the library lacks it.
template <class Signature>
struct Symbol;

template <class Result, class... Parameters>
struct Symbol<Result(Parameters...)> {
    const char* name;
    Result (*function)(Parameters...) = nullptr;

    explicit operator bool() const { return function != nullptr; }
};

/// An opened library, or why it could not be opened.
struct Library {
    void* handle = nullptr;
    std::string path;                   ///< the file really opened, as the loader reports it
    std::optional<CallResult> failure;  ///< set exactly when handle is null: "dlopen" and the loader's own words

    void* symbol(const char* name) const;
};

/// From now on open_library fails with the code would_block for the names and paths for which `reason` gives a text.
void reject_openings(std::function<std::optional<std::string>(const std::string& name)> reason);

/// RTLD_NOW and RTLD_LOCAL, as frameworks open them. A path that leads to no regular file is not opened: a pipe would
/// wait forever. A failure is reported to the writer.
Library open_library(ProbeWriter& writer, const std::string& name);

/// Files mapped into this process whose name contains `part`, sorted, each once.
std::vector<std::string> mapped_files(const std::string& part);

/// A call that returns no status. The symbol must be there.
template <class Result, class... Parameters, class... Arguments>
Result call(ProbeWriter& writer, const Symbol<Result(Parameters...)>& symbol, Arguments... arguments) {
    writer.calling(symbol.name);
    return symbol.function(arguments...);
}

/// Makes calls that return a status; a status other than 0 is reported to the writer with the library's own words.
class Checker {
  public:
    /// `before`, where given, is done before every call.
    Checker(ProbeWriter& writer, std::function<std::string(int)> text_of, std::function<void()> before = nullptr)
        : writer_(&writer), text_of_(std::move(text_of)), before_(std::move(before)) {}

    template <class... Parameters, class... Arguments>
    CallResult operator()(const Symbol<int(Parameters...)>& symbol, Arguments... arguments) const {
        if (!symbol) return failed({symbol.name, missing_symbol, "the library does not export this function"});
        if (before_) before_();
        writer_->calling(symbol.name);
        const int code = symbol.function(arguments...);
        if (code == 0) return {symbol.name, 0, ""};
        return failed({symbol.name, code, text_of_(code)});
    }

    ProbeWriter& writer() const { return *writer_; }

  private:
    CallResult failed(CallResult result) const {
        writer_->failed(result);
        return result;
    }

    ProbeWriter* writer_;
    std::function<std::string(int)> text_of_;
    std::function<void()> before_;
};

}  // namespace rnncheck::vendor

// A list of functions X(name, result, (parameters)) becomes members and their loading.
#define RNNCHECK_SYMBOL_MEMBER(name, result, parameters) ::rnncheck::vendor::Symbol<result parameters> name{#name};
#define RNNCHECK_SYMBOL_LOAD(name, result, parameters) \
    name.function = reinterpret_cast<result(*) parameters>(library.symbol(#name));
