// The models in an archive or a directory, for read_model.cpp alone.
#pragma once

#include <deque>

#include "model/found_model.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

/// A bound for archives and directories; a model has a few files.
inline constexpr std::size_t most_members = 5000;

/// A file in an archive; `error` where it cannot be unpacked.
struct Member {
    std::string name;
    std::string_view bytes;
    std::string error = {};
};
using Members = std::vector<Member>;

/// What was unpacked, as long as its members are used.
struct Unpacked {
    std::deque<std::string> texts = {};
    std::deque<ZipArchive> archives = {};
};

/// Whether the first block is a header of a tar archive.
bool is_tar(std::string_view bytes);

/// The files of a ZIP, tar or gzip archive, nothing where it is none.
std::optional<Members> members_of(std::string_view bytes, Unpacked& unpacked);

/// Reads one model; false where it is an archive of other files.
/// InputError where it is neither.
using ReadBytes = bool (*)(
    std::string_view bytes, const std::string& name, const std::string& directory, ModelFile& into);

/// Of an archive or a directory every model; of a model itself that one.
/// InputError where there is none.
std::vector<FoundModel> models_in(
    const std::string& path, bool is_directory, std::size_t weights_wanted, ReadBytes read);

}  // namespace rnncheck::model
