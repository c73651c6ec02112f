#include "commands/input.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/json.hpp"
#include "base/lists.hpp"
#include "base/named_file.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/output.hpp"
#include "facts/facts.hpp"
#include "log/read_log.hpp"
#include "matrix/tables.hpp"
#include "process/apart.hpp"
#include "process/this_process.hpp"

namespace rnncheck {

namespace {

/// As messages name it: "'report.json'", "standard input".
std::string name_of_file(const std::string& path) {
    if (path == "-")
        return "standard input";
    return "'" + path + "'";
}

/// A compressed log looks like noise, in which nothing is wrong.
void reject_compressed(const std::string& path, std::string_view begin) {
    constexpr std::pair<std::string_view, const char*> compressions[] = {
        {"\x1F\x8B", "gzip -dc"},
        {"\x28\xB5\x2F\xFD", "zstd -dc"},
        {"\3757zXZ", "xz -dc"},
        {"BZh9", "bzip2 -dc"},
        {"PK\x03\x04", "unzip -p"}};
    for (const auto& [magic, unpack] : compressions)
        if (begin.starts_with(magic)) {
            std::string command = unpack;
            if (path != "-")
                command += " " + shell_quoted(path);
            throw InputError(
                name_of_file(path) + " is compressed: unpack it first with " + command +
                " | rnncheck diagnose -");
        }
}

/// A log may be larger than memory, so it is read piece by piece.
LogInput log_input(const std::string& path) {
    return {
        path,
        [path, file = std::make_shared<NamedFile>(path), begun = false](
            char* to, std::size_t size) mutable {
            const std::size_t got = file->read(to, size);
            if (!begun)
                reject_compressed(path, {to, got});
            begun = true;
            return got;
        }};
}

/// "facts.a, facts.b and 7 more".
std::string first_of(const std::vector<std::string>& places) {
    constexpr std::size_t shown = 5;
    const std::vector<std::string> first(
        places.begin(), places.begin() + std::min(shown, places.size()));
    const std::string shown_places = escaped(join(first, ", "), 400);
    if (places.size() <= shown)
        return shown_places;
    return shown_places + " and " + std::to_string(places.size() - shown) + " more";
}

/// What table_files_of() gives, as a structure of fields.
struct FoundTables {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(TextMap, texts, "the text of each table");
    RNNCHECK_FIELD(std::string, digest, "their digest");
    RNNCHECK_FIELD(std::string, date, "their newest date");
    RNNCHECK_FIELDS_END
};

/// Runs in a process of its own, whose answer is JSON.
FoundTables found_in(const std::string& directory) {
    TableFiles files = table_files_of(directory);
    return {std::move(files.owned), files.digest, files.date};
}

std::chrono::sys_days today() {
    return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

}  // namespace

std::string read_document(const std::string& path) {
    // Far above every report: what is larger was not meant, and would fill the memory.
    constexpr std::size_t largest = std::size_t{64} << 20;
    protect_input(path);
    return process::apart([&] { return NamedFile(path).content(largest); });
}

Facts read_facts(const std::string& path) {
    // Those of a newer rnncheck: what is skipped may be what would decide.
    std::vector<std::string> unknown;
    Facts facts = facts_from_text(read_document(path), name_of_file(path), &unknown);
    if (!unknown.empty())
        log::warn(redacted_message(
            name_of_file(path) +
            " has fields that this rnncheck does not know and skips: " + first_of(unknown)));
    return facts;
}

Log read_log_files(const std::vector<std::string>& paths, const Matrix& matrix) {
    std::ranges::for_each(paths, protect_input);
    const LogReader reader(matrix);  // here, so that the fork need not read the table again
    return process::fields_from_apart<Log>([&] { return reader.read(mapped(paths, log_input)); });
}

std::vector<FoundModel> read_model_files(const std::string& path, bool with_weights) {
    constexpr std::chrono::seconds limit(30);
    std::vector<std::string> arguments{"read_model", path};
    protect_input(path);
    process::require_response(path);  // else the limit would be blamed on the file's contents
    if (with_weights)
        arguments.emplace_back("--weights");
    // The file may be made to exploit a reader, so a confined process reads it.
    const process::ChildAnswer answer = process::answer_of_child(std::move(arguments), limit);
    const auto cannot = [&](const std::string& why) {
        return InputError("'" + path + "' cannot be read: " + why);
    };
    if (!answer.line)
        throw cannot("the process that reads it " + answer.failure);
    const Json json = Json::parse(*answer.line);
    if (json.contains("error"))
        throw cannot(json["error"].get<std::string>());
    std::vector<FoundModel> models;
    for (const Json& one : json["models"]) {
        FoundModel& model = models.emplace_back();
        model.name = one["name"].get<std::string>();
        model.error = one["error"].get<std::string>();
        from_json(one["model"], model.file, path);
        const Json& weights = one["weights"];
        for (std::size_t i = 0; i < weights.size(); ++i)
            if (!weights[i].is_null())
                model.file.layers[i].weights = weights[i].get<std::vector<double>>();
    }
    return models;
}

ModelFile read_model_file(const std::string& path, bool with_weights) {
    std::vector<FoundModel> models = read_model_files(path, with_weights);
    // Files of an archive that are no models do not make the others unclear.
    std::erase_if(models, [](const FoundModel& one) { return !one.error.empty(); });
    if (models.size() == 1)
        return std::move(models.front().file);
    throw InputError(concat(
        "'",
        path,
        "' has ",
        models.size(),
        " models, the first are '",
        models[0].name,
        "' and '",
        models[1].name,
        "'; give one of them"));
}

std::optional<Network> network_of(const ModelFile& file) {
    for (const ModelLayer& layer : file.layers)
        if (const auto* mask = look_up(layer.settings, "mask"); mask && *mask != "none")
            return Network{{}, true};
    return std::nullopt;
}

Matrix matrix_from(const std::string& directory) {
    if (directory.empty())
        return Matrix::bundled();
    return Matrix(std::make_shared<Tables>(table_files_from(directory)));
}

TableFiles table_files_from(const std::string& directory) {
    if (directory.empty())
        return bundled_table_files();
    const FoundTables found =
        process::fields_from_apart<FoundTables>([&] { return found_in(directory); });
    TableFiles files;
    files.place = directory;
    files.owned = found.texts;
    files.digest = found.digest;
    files.date = found.date;
    for (const auto& [stem, text] : files.owned)
        files.content[stem] = text;  // a view of the text that `owned` keeps
    return files;
}

std::vector<Issue> issues_in(const Tables& tables) {
    std::vector<Issue> issues = verify(tables);
    append(issues, verify_signatures(tables));
    return issues;
}

std::optional<int> days_from(std::string_view date, std::chrono::sys_days today) {
    const auto read = parse_date(date);
    // A clock that is behind the tables is wrong, and so is every age by it.
    if (read && *read <= today)
        return static_cast<int>((today - *read).count());
    return std::nullopt;
}

ToolStamp stamp_with(std::string matrix_date, std::string matrix_digest) {
    ToolStamp stamp{
        .matrix_date = std::move(matrix_date), .matrix_digest = std::move(matrix_digest)};
    if (!commit_of_rnncheck().empty())
        stamp.commit = commit_of_rnncheck();
    stamp.matrix_age_days = days_from(stamp.matrix_date, today());
    return stamp;
}

}  // namespace rnncheck
