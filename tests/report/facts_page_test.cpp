// docs/facts.md says of every field what the code says of it.
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "report/report.hpp"
#include "support/catch.hpp"

namespace {

using namespace rnncheck;

template <class T>
std::string form_of() {
    if constexpr (IsOptional<T>::value)
        return form_of<typename T::value_type>() + ", or absent";
    else if constexpr (IsVector<T>::value)
        return "list of " + form_of<typename T::value_type>();
    else if constexpr (NamedEnum<T>) {
        std::string words;
        for (const auto name : names_of(T{})) words += (words.empty() ? "`" : ", `") + std::string(name) + "`";
        return words;
    } else if constexpr (std::is_same_v<T, bool>)
        return "true or false";
    else if constexpr (std::is_integral_v<T>)
        return "whole number";
    else if constexpr (std::is_floating_point_v<T>)
        return "number";
    else if constexpr (std::is_same_v<T, Version>)
        return "version";
    else if constexpr (std::is_same_v<T, TextMap>)
        return "texts by name";
    else if constexpr (Fielded<T>)
        return "object";
    else
        return "text";
}

template <class T>
struct Core {
    using type = T;
};
template <class T>
struct Core<std::optional<T>> : Core<T> {};
template <class T>
struct Core<std::vector<T>> : Core<T> {};

template <class T>
void add_section(std::ostream& page, const std::string& path) {
    page << "\n## " << path << "\n\n| field | form | meaning |\n| --- | --- | --- |\n";
    T sample;
    T::fields(sample, [&]<class M>(const char* name, M&, const char* about) {
        page << "| `" << name << "` | " << form_of<M>() << " | " << about << " |\n";
    });
    T::fields(sample, [&]<class M>(const char* name, M&, const char*) {
        using Inner = typename Core<M>::type;
        if constexpr (Fielded<Inner> && !std::is_same_v<Inner, CallResult>)
            add_section<Inner>(page,
                               path + (IsVector<M>::value ? "." + std::string(name) + "[]" : "." + std::string(name)));
    });
}

std::string facts_page() {
    std::ostringstream page;
    page
        << "# Facts, schema " << facts_schema
        << "\n\nWritten by `rnncheck doctor --save-facts FILE`, read by `--facts FILE`, and contained in a JSON "
           "report as "
           "`facts`. An absent field is\n"
           "unknown; `probe_runs` shows why. New fields may be added within a schema; none is removed or changes its "
           "meaning. This page is generated from\n"
           "the field lists in `src/facts/`: `cmake --build build/dev --target bless` renews it.\n\n"
           "The result of a vendor call is an object: `call` is the function, `code` its return value (0 is success; "
           "compare it only with codes\n"
           "of the same library and major version), `text` the library's own message.\n\n"
           "A case of `rnn_runs` is described once, in `rnn_cases` with its `case_id`, and so are the runs of one case "
           "that are alike in all\n"
           "but `gpu`, `first_ms`, `repeat_ms` and `free_bytes`: in the JSON these are lists (`gpus`, `first_ms`, ...) "
           "with an item for each run,\n"
           "`case_id` replaces `case`, and `indexes` are the places of these runs in the list of all runs, which "
           "the evidence of a finding\n"
           "names (`rnn_runs[17]`). Facts of schema 2, in which each run was described by itself, are still read.\n";
    add_section<Facts>(page, "facts");
    return page.str();
}

}  // namespace

TEST_CASE("docs/facts.md is up to date") {
    const std::string path = std::string(PROJECT_DIRECTORY) + "/docs/facts.md";
    if (std::getenv("RNNCHECK_BLESS")) std::ofstream(path) << facts_page();
    std::ifstream file(path);
    const std::string found{std::istreambuf_iterator<char>(file), {}};
    CHECK(found == facts_page());
}
