#include "files/python/file_check.hpp"

#include <sys/stat.h>

#include "files/python/record.hpp"

namespace rnncheck::packages {

namespace {

constexpr std::size_t most_record = std::size_t{32} << 20, most_told = 32;

void add(std::vector<std::string>& list, const std::string& path) {
    if (list.size() < most_told) list.push_back(path);
}

}  // namespace

void compare_files(const Root& root, const Distribution& distribution, PythonPackage& package,
                   std::vector<std::string>& left_out) {
    const std::string path = distribution.metadata + "/RECORD";
    const auto text = root.read(path, most_record);
    if (!text) return;  // not every installer writes one
    if (text->size() == most_record) left_out.push_back(path + ": only the first 32 MiB were read");
    read_record(*text, [&](const RecordedFile& file) {
        const std::string place = file.path.starts_with('/') ? file.path : distribution.folder + '/' + file.path;
        struct stat about {};
        const auto real = root.real_path(place);
        if (!real || stat(root.outside(*real).c_str(), &about) != 0)
            add(package.missing_files, place);
        else if (file.bytes && S_ISREG(about.st_mode) && about.st_size != *file.bytes)
            add(package.changed_files, place);
    });
}

}  // namespace rnncheck::packages
