// A table's rows counted without reading them: the list of tables shows no cell, so none is made.
#include <nlohmann/json.hpp>

#include "matrix/table_view.hpp"

namespace rnncheck {

namespace {

using Json = nlohmann::json;

/// The events of a table's JSON. Depth 1 is the head; depth 2 the columns, the sources, the rows.
class OutlineReader : public nlohmann::json_sax<Json> {
  public:
    std::string about;
    std::size_t rows = 0;
    bool has_rows = false;

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool string(string_t& text) override {
        if (depth_ == 1 && key_ == "about") about = text;
        return true;
    }
    bool key(string_t& name) override {
        if (depth_ == 1) key_ = name;
        return true;
    }
    bool start_object(std::size_t) override {
        if (depth_ == 2 && key_ == "rows") ++rows;
        return deeper();
    }
    bool start_array(std::size_t) override {
        if (depth_ == 1 && key_ == "rows") has_rows = true;
        return deeper();
    }
    bool end_object() override { return higher(); }
    bool end_array() override { return higher(); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

  private:
    bool deeper() { return ++depth_, true; }
    bool higher() { return --depth_, true; }

    int depth_ = 0;
    std::string key_;
};

}  // namespace

TableOutline table_outline(const TableFiles& files, const std::string& name) {
    const auto file = files.content.find(name);
    OutlineReader reader;
    const bool is_table = file != files.content.end() && Json::sax_parse(file->second, &reader) && reader.has_rows;
    if (!is_table) table_view(files, name);  // throws, with the place that is wrong
    return {name, std::move(reader.about), reader.rows, newest_date(file->second)};
}

}  // namespace rnncheck
