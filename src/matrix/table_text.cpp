#include "matrix/table_text.hpp"

#include <limits>
#include <nlohmann/json.hpp>

namespace rnncheck {

namespace {

using Json = nlohmann::json;

/// The events of a table's JSON. Depth 1 is the head, depth 2 the columns, the list of sources and that of rows,
/// depth 3 one source or one row.
class Collector : public nlohmann::json_sax<Json> {
  public:
    TableText table;
    NoTable no_table;

    bool null() override { return take(NoCell()); }
    bool boolean(bool value) override { return take(value); }
    bool number_integer(number_integer_t value) override { return take(value); }
    bool number_unsigned(number_unsigned_t value) override {
        if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) return take(value);
        return take(static_cast<std::int64_t>(value));
    }
    bool number_float(number_float_t, const string_t&) override { return take(NoCell()); }
    bool binary(binary_t&) override { return take(NoCell()); }
    bool string(string_t& text) override {
        if (depth_ == 1 && section_ == "about") table.about = text;
        return take(text);
    }
    bool key(string_t& name) override {
        if (depth_ == 1) section_ = name;
        if (depth_ == 2) source_ = name;
        if (in_object()) object_->cells.push_back({name, NoCell()});
        return true;
    }
    bool start_object(std::size_t) override {
        if (depth_ == 0) table.is_object = true;
        if (depth_ == 1) begin_section();
        if (depth_ == 2) begin_entry(true);
        return deeper();
    }
    bool start_array(std::size_t) override {
        if (depth_ == 1 && section_ == "rows" && !begin_rows()) return false;
        return deeper();
    }
    bool end_object() override { return higher(); }
    bool end_array() override { return higher(); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        no_table = {"no valid JSON", position};
        return false;
    }

  private:
    bool in_object() const { return object_ && depth_ == object_depth_; }

    template <class Value>
    bool take(const Value& value) {
        if (in_object() && !object_->cells.empty()) object_->cells.back().value = value;
        if (depth_ == 2 && !object_) begin_entry(false);
        return true;
    }

    void begin(FlatObject& object) {
        object_ = &object;
        object_depth_ = depth_ + 1;
    }

    void begin_section() {
        if (section_ == "columns") begin(table.columns.emplace());
        if (section_ == "holes") begin(table.holes.emplace());
        if (section_ == "sources") table.sources.emplace();
    }

    bool begin_rows() {
        if (table.rows)
            no_table = {"'rows' stands twice", 0};
        else
            table.rows.emplace();
        return no_table.why.empty();
    }

    /// A source or a row, whose cells follow when it is an object.
    void begin_entry(bool is_object) {
        FlatObject* entry = nullptr;
        if (section_ == "sources" && table.sources) entry = &table.sources->emplace_back(source_, FlatObject()).second;
        if (section_ == "rows" && table.rows) {
            const std::size_t cells = table.rows->empty() ? 0 : table.rows->back().cells.size();
            entry = &table.rows->emplace_back();
            entry->cells.reserve(cells);
        }
        if (!entry) return;
        entry->is_object = is_object;
        if (is_object) begin(*entry);
    }

    /// A table is 3 deep. Other readers of JSON go down with each level and would come to the end of their stack.
    bool deeper() {
        constexpr int deepest = 32;
        take(NoCell());
        if (++depth_ <= deepest) return true;
        no_table = {"nested too deeply", 0};
        return false;
    }

    bool higher() {
        if (--depth_ < object_depth_) object_ = nullptr;
        return true;
    }

    int depth_ = 0;
    int object_depth_ = 0;
    FlatObject* object_ = nullptr;  ///< the one that is being filled, at object_depth_
    std::string section_;           ///< of the head
    std::string source_;
};

}  // namespace

std::optional<TableText> table_text(std::string_view json, NoTable& no_table) {
    if (const auto nul = json.find('\0'); nul != std::string_view::npos) {
        no_table = {"a NUL byte", nul + 1};  // the parser would take it for the end
        return std::nullopt;
    }
    Collector collector;
    if (Json::sax_parse(json, &collector)) return std::move(collector.table);
    no_table = std::move(collector.no_table);
    return std::nullopt;
}

}  // namespace rnncheck
