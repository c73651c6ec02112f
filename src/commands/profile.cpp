#include <toml++/toml.h>

#include "commands/common_options.hpp"
#include "commands/input.hpp"
#include "commands/names.hpp"
#include "facts/old_ids.hpp"
#include "facts/queries.hpp"

namespace rnncheck {

namespace {

/// Dotted keys nest, and toml++ bounds only how deep values do: what a profile of this size nests
/// fits on the stack.
constexpr std::size_t largest_profile = 16384;

class ProfileReader {
  public:
    ProfileReader(std::string path, const std::vector<std::string>& rules)
        : path_(std::move(path)), rules_(rules) {
    }

    Profile read() const {
        Profile profile{.file = path_};
        for_each(
            parsed(),
            {"expect", "fail-on", "ignore", "require"},
            [&](const std::string& key, const toml::node& value) {
                if (key == "expect") {
                    profile.expect = expected(table_at(key, value));
                    profile.labels = labels_of(table_at(key, value));
                } else if (key == "fail-on")
                    profile.fail_on =
                        name_of(value_named<FailOn>(text_at(key, value), place(value) + key));
                else if (key == "ignore")
                    profile.ignore = reasons(table_at(key, value));
                else
                    profile.require = ids(value);
            });
        return profile;
    }

  private:
    /// InputError with the line, for a person who edits the file.
    toml::table parsed() const {
        const std::string text = read_document(path_);
        if (text.size() > largest_profile)
            throw InputError("'" + path_ + "' is larger than the limit of 16 KiB");
        try {
            return toml::parse(std::string_view(text));
        } catch (const toml::parse_error& error) {
            throw InputError(
                at_line(error.source()) + "this is not TOML: " + std::string(error.description()));
        }
    }

    std::string at_line(const toml::source_region& source) const {
        return "'" + path_ + "', line " + std::to_string(source.begin.line) + ": ";
    }
    std::string place(const toml::node& node) const {
        return at_line(node.source());
    }

    /// InputError "'rnncheck.toml', line 3: why".
    [[noreturn]] void reject(const toml::node& node, const std::string& why) const {
        throw InputError(place(node) + why);
    }

    /// Calls take(key, value); InputError for a key that is not among `keys`.
    template <class Take>
    void for_each(
        const toml::table& table, const std::vector<std::string>& keys, const Take& take) const {
        for (const auto& [name, value] : table) {
            const std::string key(std::string_view{name});
            if (!includes(keys, key))
                reject(
                    value,
                    "unknown key '" + key + "'" +
                        did_you_mean(key, keys, "; the keys are " + join_with_and(keys)));
            take(key, value);
        }
    }

    /// InputError if the value has another type; the sentence shows how to write it.
    const toml::table& table_at(const std::string& key, const toml::node& value) const {
        if (!value.is_table())
            reject(value, key + " must be a table: write [" + key + "] and its entries below it");
        return *value.as_table();
    }

    std::string text_at(const std::string& key, const toml::node& value) const {
        const auto text = value.value_exact<std::string>();
        if (!text || trim(*text).empty())
            reject(value, key + " must be a text in quotes, which is not empty");
        return *text;
    }

    /// A mistyped rule would be one that is never required, so it is an error.
    std::string known_rule(
        const std::string& written, const toml::node& at, const std::string& key) const {
        std::string id = current_id(written);
        if (!includes(rules_, id))
            reject_id(id, "rule", rules_, place(at) + key + ": ");
        return id;
    }

    std::vector<std::string> ids(const toml::node& value) const {
        if (!value.is_array())
            reject(value, "require must be a list of rule ids, e.g. [\"rnn_result_wrong\"]");
        std::vector<std::string> ids;
        for (const toml::node& id : *value.as_array())
            ids.push_back(known_rule(text_at("require", id), id, "require"));
        return ids;
    }

    /// By rule. Each needs one: who reads the gate later must know why a finding was accepted.
    TextMap reasons(const toml::table& table) const {
        TextMap reasons;
        for (const auto& [name, reason] : table) {
            const std::string id =
                known_rule(std::string(std::string_view{name}), reason, "ignore");
            reasons[id] = text_at("the reason to ignore " + id, reason);
        }
        return reasons;
    }

    /// The keys that every report must have.
    std::vector<std::string> labels_of(const toml::table& expected) const {
        const toml::node* const value = expected.get("labels");
        if (!value)
            return {};
        if (!value->is_array())
            reject(*value, "labels must be a list of keys, e.g. [\"node\"]");
        std::vector<std::string> labels;
        for (const toml::node& label : *value->as_array())
            labels.push_back(text_at("labels", label));
        return labels;
    }

    /// Nothing if the machine may be of any kind.
    std::optional<ExpectedMachine> expected(const toml::table& table) const {
        ExpectedMachine machine{.profile = path_};
        const std::map<std::string, std::optional<std::string>*> versions = {
            {"driver", &machine.driver}, {"cuda", &machine.cuda}, {"cudnn", &machine.cudnn}};
        const auto take = [&](const std::string& key, const toml::node& value) {
            if (const auto version = versions.find(key); version != versions.end())
                *version->second = version_at(key, value);
            else if (key == "gpu")
                machine.gpu = text_at(key, value);
            else if (key == "gpus")
                machine.gpus = static_cast<int>(number_at(key, value));
            else if (key == "gpu-memory-mib")
                machine.gpu_memory_mib = number_at(key, value);
        };
        for_each(
            table, {"driver", "cudnn", "cuda", "gpus", "gpu", "gpu-memory-mib", "labels"}, take);
        // Labels are required of the report, not of the machine.
        const bool has_labels_alone = table.size() == 1 && table.contains("labels");
        if (table.empty() || has_labels_alone)
            return std::nullopt;
        return machine;
    }

    /// "9.1.0", ">=9.1".
    std::string version_at(const std::string& key, const toml::node& value) const {
        const std::string version = text_at(key, value);
        if (!expected_version(version))
            reject(
                value,
                key + " cannot be '" + version +
                    "'; give a version, e.g. \"9.1.0\", or the oldest one that will do, "
                    "e.g. \">=9.1\"");
        return version;
    }

    std::int64_t number_at(const std::string& key, const toml::node& value) const {
        constexpr std::int64_t most = 1 << 30;
        // 8.0 and "8" are no whole numbers in TOML.
        const auto number = value.value_exact<std::int64_t>();
        if (!number || *number < 0 || *number > most)
            reject(value, key + " must be a number without quotes, e.g. 8");
        return *number;
    }

    std::string path_;
    const std::vector<std::string>& rules_;
};

}  // namespace

Profile read_profile(const std::string& path, const std::vector<std::string>& rules) {
    return ProfileReader(path, rules).read();
}

}  // namespace rnncheck
