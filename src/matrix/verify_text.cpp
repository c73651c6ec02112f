#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "matrix/table_text.hpp"
#include "matrix/verify_parts.hpp"

namespace rnncheck::verifying {

namespace {

using Json = nlohmann::json;

/// Complains about a key that stands twice in one object: the reader would take one of them without a word.
class RepeatedKeys {
  public:
    explicit RepeatedKeys(const Complaints& complain) : complain_(complain) {}

    bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
        if (event == Json::parse_event_t::object_start) {
            open_.emplace_back();
            if (part_ == "rows" && depth == depth_of_rows) ++row_;
        } else if (event == Json::parse_event_t::object_end) {
            open_.pop_back();
        } else if (event == Json::parse_event_t::key) {
            note(parsed.get<std::string>());
        }
        return true;
    }

  private:
    static constexpr int depth_of_rows = 2;

    void note(const std::string& key) {
        if (open_.size() == 1) part_ = key;
        if (open_.back().insert(key).second) return;
        const std::string where = part_ == "rows" || open_.size() == 1 ? "" : " in '" + part_ + "'";
        complain_(part_ == "rows" ? row_ : 0, "the key '" + key + "' stands twice" + where + "; keep one of them");
    }

    const Complaints& complain_;
    std::vector<std::set<std::string>> open_;  // keys of the objects around this place
    std::string part_;                         // key at the top
    std::size_t row_ = 0;
};

/// ASCII's and, in UTF-8, those of Latin-1.
bool has_control_character(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x20 || byte == 0x7f) return true;
        if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
    }
    return false;
}

void check_characters(const Json& value, const std::string& name, std::size_t row, const Complaints& complain) {
    if (value.is_string() && has_control_character(value.get_ref<const std::string&>()))
        complain(row, "'" + name + "' holds a control character; take it away");
    if (value.is_structured())
        for (const auto& [key, part] : value.items())
            check_characters(part, value.is_object() ? key : name, row, complain);
}

void check_members(const Json& table, const Complaints& complain) {
    static const std::set<std::string> known = {"about", "columns", "holes", "sources", "rows"};
    for (const auto& [name, value] : table.items())
        if (!known.contains(name)) complain(0, "the head has no '" + name + "'; take it away");
}

void check_characters(const Json& table, const Complaints& complain) {
    for (const auto& [part, value] : table.items()) {
        if (part != "rows" || !value.is_array()) {
            check_characters(value, part, 0, complain);
            continue;
        }
        std::size_t row = 0;
        for (const Json& cells : value) check_characters(cells, part, ++row, complain);
    }
}

}  // namespace

void check_text(std::string_view text, const Complaints& complain) {
    NoTable told_by_the_reader;
    if (!table_text(text, told_by_the_reader)) return;
    RepeatedKeys repeated(complain);
    const Json table = Json::parse(text, std::ref(repeated), false);
    if (!table.is_object()) return;
    check_members(table, complain);
    check_characters(table, complain);
}

}  // namespace rnncheck::verifying
