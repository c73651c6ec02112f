// Values that a generated Python file gives to names, read as text: what a build was made for. Nothing is executed, and
// what is not a plain literal is passed over.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnncheck::python {

/// Texts without their quotes, numbers, True, False and None as written; a list has several values.
class Literals {
  public:
    /// The one value of a name; nothing when there is none, or several, or the name is not given.
    std::optional<std::string> one(std::string_view name) const;
    /// "True" and "False" alone.
    std::optional<bool> yes_no(std::string_view name) const;
    std::vector<std::string> all(std::string_view name) const;

    void put(std::string name, std::vector<std::string> values);

  private:
    std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

/// Takes `name = 'value'` and `name: annotation = 'value'` at the beginning of a line, and pairs ('name', 'value') and
/// ('name', ['value', ...]) wherever they stand. The first value of a name counts. Reads 64 KiB at the most.
Literals read_literals(std::string_view text);

}  // namespace rnncheck::python
