// What holds several files: ZIP, tar and gzip archives, in each other, and directories.
// Members are views into the archive where they are stored as they are; what
// was packed is unpacked into memory of bounded size.
#include <re2/re2.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/find_models.hpp"

namespace rnncheck::model {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_unpacked = 64 << 20;

/// The octal number of a tar header (POSIX pax, ustar); beyond 8 GiB
/// GNU tar writes it in binary.
std::uint64_t octal(std::string_view digits) {
    std::uint64_t number = 0;
    if (!digits.empty() && (static_cast<unsigned char>(digits[0]) & 0x80)) {
        for (std::size_t i = digits.size() - 8; i < digits.size(); ++i)
            number = number << 8 | static_cast<unsigned char>(digits[i]);
        return number;
    }
    for (const char digit : digits)
        if (digit >= '0' && digit <= '7')
            number = number * 8 + static_cast<std::uint64_t>(digit - '0');
    return number;
}

/// Fields of a tar header are padded with zeros.
std::string text_to_zero(std::string_view field) {
    return std::string(field.substr(0, field.find('\0')));
}

/// Whether the sum of the first header is the one that it has; old archives
/// have no "ustar".
bool is_tar_block(std::string_view bytes) {
    constexpr std::size_t block = 512, at = 148, length = 8;
    if (bytes.size() < block || bytes[0] == '\0')
        return false;
    // the sum is computed with spaces in its own place
    std::uint64_t sum = length * std::uint64_t{' '};
    for (std::size_t i = 0; i < block; ++i)
        if (i < at || i >= at + length)
            sum += static_cast<unsigned char>(bytes[i]);
    return sum == octal(bytes.substr(at, length)) && sum > 0;
}

/// POSIX pax and ustar: blocks of 512 bytes, a header in front of each file.
/// GNU tar puts a long name ('L') into a file of its own before it.
Members tar_members(std::string_view bytes) {
    constexpr std::uint64_t block = 512;
    Members members;
    std::string long_name;
    for (std::uint64_t at = 0;
         at + block <= bytes.size() && bytes[at] != '\0' && members.size() < most_members;) {
        const std::string_view header = bytes.substr(at, block);
        const std::uint64_t size = octal(header.substr(124, 12));
        const char type = header[156];
        const std::string_view content = slice(bytes, at + block, size);
        std::string name = text_to_zero(header.substr(0, 100));
        if (header.substr(257, 5) == "ustar" && header[345] != '\0' &&
            header.substr(257, 8) != "ustar  ")
            name = text_to_zero(header.substr(345, 155)) + "/" + name;
        if (type == 'L')
            long_name =
                text_to_zero(content.substr(0, std::min<std::size_t>(content.size(), 4096)));
        else if (type == '0' || type == '\0' || type == '7')
            members.push_back({long_name.empty() ? name : long_name, content});
        if (type != 'L' && type != 'x' && type != 'g')
            long_name.clear();
        at += block + (size + block - 1) / block * block;
    }
    return members;
}

/// Of several parts, as gzip writes them one behind the other, only the first.
std::string gunzipped(std::string_view packed) {
    std::string text;
    std::string part(1 << 18, '\0');
    z_stream stream{};
    constexpr int with_header = 16;
    if (inflateInit2(&stream, MAX_WBITS + with_header) != Z_OK)
        throw std::bad_alloc();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(std::min<std::uint64_t>(packed.size(), 1u << 31));
    int result = Z_OK;
    while (result == Z_OK && text.size() <= most_unpacked) {
        stream.next_out = reinterpret_cast<Bytef*>(part.data());
        stream.avail_out = static_cast<uInt>(part.size());
        result = inflate(&stream, Z_NO_FLUSH);
        text.append(part, 0, part.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (text.size() > most_unpacked)
        throw InputError(
            "it is compressed with gzip and larger than 64 MiB unpacked; unpack it (tar xf FILE or "
            "gunzip -k FILE) and "
            "give what it "
            "contains");
    if (result != Z_STREAM_END)
        damaged("it is compressed with gzip and ends before its end");
    return text;
}

/// Files that are never models, whose contents need not be looked at.
bool is_no_model(const std::string& name) {
    constexpr std::string_view others[] = {
        ".py",  ".pyc", ".txt", ".md",   ".rst", ".yaml",  ".yml", ".toml", ".cfg",
        ".ini", ".csv", ".tsv", ".so",   ".dll", ".a",     ".h",   ".hpp",  ".c",
        ".cpp", ".cc",  ".png", ".jpg",  ".wav", ".flac",  ".mp3", ".html", ".css",
        ".js",  ".log", ".sh",  ".lock", ".pyi", ".ipynb", ".gif", ".svg",  ".pdf"};
    return std::ranges::any_of(others, [&](std::string_view end) { return name.ends_with(end); }) ||
           file_name(name).starts_with(".") || contains(name, "__MACOSX/");
}

/// Whether the name is that of a model, so that it is reported when it cannot be read.
bool is_model_by_name(const std::string& name) {
    constexpr std::string_view ends[] = {
        ".keras",
        ".h5",
        ".hdf5",
        ".onnx",
        ".pt",
        ".pth",
        ".ckpt",
        ".safetensors",
        ".th",
        ".jit",
        ".pt2"};
    return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

bool is_tar(std::string_view bytes) {
    return is_tar_block(bytes);
}

/// A ZIP may be a model itself (.keras, PyTorch): read_zip() has been tried before this.
std::optional<Members> members_of(std::string_view bytes, Unpacked& unpacked) {
    if (bytes.starts_with("\x1f\x8b")) {
        const std::string_view inner = unpacked.texts.emplace_back(gunzipped(bytes));
        if (is_tar_block(inner))
            return tar_members(inner);
        return Members{{"", inner}};
    }
    if (is_tar(bytes))
        return tar_members(bytes);
    if (!bytes.starts_with("PK\3\4") && !bytes.starts_with("PK\5\6"))
        return std::nullopt;
    const ZipArchive& archive = unpacked.archives.emplace_back(bytes);
    Members members;
    for (const auto& entry : archive.entries()) {
        if (members.size() >= most_members)
            break;
        if (entry.name.ends_with("/") || is_no_model(entry.name))
            continue;
        try {
            members.push_back({entry.name, archive.content(entry)});
        } catch (const InputError& error) {
            members.push_back({entry.name, "", error.what()});
        }
    }
    return members;
}

namespace {

/// Goes through archives and directories and keeps what could be read; a
/// failure counts only where nothing could.
class ModelFinder {
  public:
    ModelFinder(std::size_t weights_wanted, ReadBytes read)
        : weights_wanted_(weights_wanted), read_(read) {
    }

    /// One file; where it is an archive, the models in it. `name` is what is shown of it.
    void add_bytes(
        std::string_view bytes, const std::string& name, const std::string& directory, int depth) {
        constexpr int deepest = 3;
        if (++tried_ > most_members)
            return;
        FoundModel found{name, {}, {}};
        found.file.weights_wanted = weights_wanted_;
        try {
            if (read_(bytes, name, directory, found.file)) {
                note_shard(name, found.file);
                models.push_back(std::move(found));
                return;
            }
            if (depth >= deepest)
                throw InputError("archives are nested too deeply in it; unpack it");
            add_members(bytes, name, depth);
        } catch (const InputError& error) {
            if (depth == 0)
                throw;
            reasons.push_back("'" + file_name(name) + "' in it: " + error.what());
            if (is_model_by_name(name))
                models.push_back({name, {}, error.what()});
        }
    }

    void add_directory(const std::string& path) {
        std::error_code error;
        constexpr int deepest = 8;
        fs::recursive_directory_iterator at(
            path, fs::directory_options::skip_permission_denied, error),
            end;
        std::vector<std::string> files;
        for (; !error && at != end && files.size() < most_members; at.increment(error)) {
            const std::string inner = at->path().generic_string();
            if (at->is_symlink(error))
                continue;
            if (at->is_directory(error)) {
                const bool hidden = file_name(inner).starts_with(".");
                const bool whole = fs::exists(at->path() / "saved_model.pb", error);
                if (whole)
                    files.push_back(inner);
                if (hidden || whole || at.depth() >= deepest)
                    at.disable_recursion_pending();
            } else if (at->is_regular_file(error) && !is_no_model(inner)) {
                files.push_back(inner);
            }
        }
        std::ranges::sort(files);
        for (const std::string& file : files)
            if (file.ends_with(".json"))
                note_shards(file);
        for (const std::string& file : files)
            add_file_of_directory(file);
    }

    std::vector<FoundModel> models;
    std::vector<std::string> reasons;

  private:
    /// A file that is one of several, of which it does not have the layers of the others.
    static void note_shard(const std::string& name, ModelFile& file) {
        static const re2::RE2 shard(
            R"(.*(?:-[0-9]{5}-of-[0-9]{5}\.[a-z]+|_[0-9]{5}\.weights\.h5))", re2::RE2::Latin1);
        static const re2::RE2 whole(R"(.*-00001-of-00001\.[a-z]+)", re2::RE2::Latin1);
        if (re2::RE2::FullMatch(name, shard) && !re2::RE2::FullMatch(name, whole))
            add_once(
                file.unclear,
                "it is one of several files of the same model; give the index beside them (.json)");
    }

    void add_members(std::string_view bytes, const std::string& name, int depth) {
        Unpacked unpacked;
        const auto members = members_of(bytes, unpacked);
        if (!members)
            return;
        for (const Member& member : *members) {
            std::string inner = name;
            if (!member.name.empty())
                inner += "/" + member.name;
            if (!member.error.empty()) {
                reasons.push_back(member.error);
            } else if (!member.bytes.empty() && !is_no_model(member.name)) {
                add_bytes(member.bytes, inner, "", depth + 1);
            }
        }
    }

    void add_file_of_directory(const std::string& file) {
        // Files that an index beside them names are read with it.
        const std::string name = file_name(file);
        if (shards_.contains(file))
            return;
        try {
            std::error_code error;
            if (fs::is_directory(file, error)) {
                FoundModel found{file, {}, {}};
                read_saved_model(file, found.file);
                models.push_back(std::move(found));
                return;
            }
            const MappedFile mapped(file);
            add_bytes(mapped.bytes(), file, directory_of(file), 1);
        } catch (const InputError& error) {
            reasons.push_back("'" + name + "': " + error.what());
            if (is_model_by_name(name))
                models.push_back({file, {}, error.what()});
        }
    }

    /// Both forms of an index have a file, or a list of files, for each weight.
    void note_shards(const std::string& index) {
        constexpr std::uintmax_t largest = 16 << 20;
        std::error_code error;
        if (fs::file_size(index, error) > largest || error)
            return;
        const MappedFile mapped(index);
        const Json json = Json::parse(mapped.bytes(), nullptr, false);
        for (const Json& shard : member(json, "weight_map"))
            for (const Json& name : shard.is_array() ? shard : Json::array({shard}))
                if (name.is_string())
                    shards_.insert(directory_of(index) + "/" + name.get<std::string>());
    }

    std::size_t weights_wanted_, tried_ = 0;
    ReadBytes read_;
    std::set<std::string> shards_;
};

}  // namespace

std::vector<FoundModel> models_in(
    const std::string& path, bool is_directory, std::size_t weights_wanted, ReadBytes read) {
    ModelFinder finder(weights_wanted, read);
    if (is_directory) {
        finder.add_directory(path);
    } else {
        const MappedFile mapped(path);
        std::string directory = ".";
        if (contains(path, "/"))
            directory = directory_of(path);
        finder.add_bytes(mapped.bytes(), path, directory, 0);
    }
    // One that can be read is enough; else the first useful reason is what the user gets.
    const bool any =
        std::ranges::any_of(finder.models, [](const FoundModel& one) { return one.error.empty(); });
    if (any)
        return std::move(finder.models);
    for (const FoundModel& one : finder.models)
        finder.reasons.insert(
            finder.reasons.begin(), "'" + file_name(one.name) + "' in it: " + one.error);
    // What names a kind of file helps more than that another is of none.
    std::ranges::stable_partition(finder.reasons, [](const std::string& reason) {
        return !contains(reason, "not a model of a known format") && !contains(reason, "damaged");
    });
    std::string what = "the archive", has = " has";
    if (is_directory) {
        what = "the directory";
        has = " has no saved_model.pb, so it is not a SavedModel, and";
    }
    if (finder.reasons.empty())
        throw InputError(what + has + " no file of a model; give the file of the model");
    throw InputError(what + " has no model that can be read; " + finder.reasons.front());
}

}  // namespace rnncheck::model
