// Facts of which something was lost: each field of each recorded machine removed, null and absurd.
// What was a problem is one still, or undetermined, or the document is rejected; it never becomes a
// pass. By default a share of them, all with RNNCHECK_LOST_FACTS=all in the environment.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/json.hpp"
#include "base/program.hpp"
#include "judge.hpp"
#include "report/documents.hpp"
#include "report/outline.hpp"
#include "support/catch.hpp"

using namespace rnncheck;

namespace {

using Pointer = Json::json_pointer;

Json facts_in(const std::filesystem::path& file) {
    return Json::parse(std::ifstream(file));
}

std::vector<std::filesystem::path> recorded_machines() {
    std::vector<std::filesystem::path> files;
    for (const auto& directory :
         std::filesystem::directory_iterator(PROJECT_DIRECTORY "/tests/machines"))
        if (const auto file = directory.path() / "facts.json"; std::filesystem::exists(file))
            files.push_back(file);
    std::ranges::sort(files);
    return files;
}

void collect_places(const Json& value, const Pointer& place, std::vector<Pointer>& places) {
    for (const auto& [key, item] : value.items()) {
        const Pointer child =
            value.is_array() ? place / static_cast<std::size_t>(std::stoul(key)) : place / key;
        // Which of several runs or letters it is makes no difference.
        if (value.is_array() && !item.is_structured() && key != "0")
            break;
        places.push_back(child);
        if (item.is_structured())
            collect_places(item, child, places);
    }
}

/// What no machine has at this place.
std::vector<Json> absurd_in_place_of(const Json& value) {
    std::vector<Json> absurd = {nullptr, Json::object(), "", "absurd \x1b[31m", -1, 1e300};
    if (value.is_boolean())
        absurd.push_back(2);
    return absurd;
}

/// The exit code of `doctor --facts`; 2 for a document that is rejected.
int exit_code_of(const Json& json) {
    static const Matrix matrix = Matrix::bundled();
    try {
        const Report report = judge(facts_from_text(json.dump(), "facts.json"), matrix, {});
        CHECK_FALSE(outline_of(report).text({}).empty());
        CHECK_FALSE(json_text(report).empty());
        if (report.verdict == OverallVerdict::problems)
            return 1;
        return report.verdict == OverallVerdict::undetermined ? 3 : 0;
    } catch (const InputError&) {
        return 2;
    }
}

bool all_are_wanted() {
    const char* const wanted = std::getenv("RNNCHECK_LOST_FACTS");
    return wanted && std::string_view(wanted) == "all";
}

}  // namespace

TEST_CASE("what is lost from the facts turns no problem into a pass") {
    constexpr std::size_t share =
        53;  // every so many, a prime so that each kind of change is among them
    const std::size_t step = all_are_wanted() ? 1 : share;
    std::size_t number = 0, tried = 0;
    for (const auto& file : recorded_machines()) {
        const Json whole = facts_in(file);
        const bool is_problem = exit_code_of(whole) == 1;
        std::vector<Pointer> places;
        collect_places(whole, Pointer(), places);
        const auto look = [&](const Json& changed, const Pointer& place, const std::string& by) {
            ++tried;
            INFO(file.parent_path().filename() << ' ' << place.to_string() << " is " << by);
            const int code = exit_code_of(changed);
            CHECK_FALSE((is_problem && code == 0));
        };
        for (const Pointer& place : places) {
            Json changed = whole;
            const Json& in = whole.at(place.parent_pointer());
            const bool is_whole_part =
                place.parent_pointer().empty() || place.parent_pointer().parent_pointer().empty();
            if (in.is_object() && (number++ % step == 0 || is_whole_part)) {
                changed.at(place.parent_pointer()).erase(place.back());
                look(changed, place, "removed");
                changed = whole;
            }
            for (const Json& absurd : absurd_in_place_of(whole.at(place)))
                if (number++ % step == 0) {
                    changed.at(place) = absurd;
                    look(changed, place, absurd.dump());
                }
        }
    }
    CHECK(tried > (all_are_wanted() ? 30'000u : 300u));
    if (all_are_wanted())
        WARN(tried << " changed facts");
}
