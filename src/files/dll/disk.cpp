// Windows compares names without case, a mounted disk has them as they were
// written: each directory is listed once, and looked up in lower case.
#include "files/dll/disk.hpp"

#include <algorithm>
#include <cctype>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::dll {

namespace {

constexpr std::string_view drive = "c:\\";

}  // namespace

const std::map<std::string, std::string>& Disk::names_below(const std::string& directory) const {
    const auto known = listings_.find(directory);
    if (known != listings_.end())
        return known->second;
    auto& listing = listings_[directory];
    for (std::string& name : root_.names_in(directory))
        listing.try_emplace(lower(name), std::move(name));
    return listing;
}

/// Short names (PROGRA~1) are in no list, and those in a directory that may not
/// be listed are not either, as in WindowsApps.
std::optional<std::string> Disk::name_in(
    const std::string& directory, const std::string& part) const {
    const bool is_drive = directory.empty() || directory.ends_with(':');
    std::string listed = directory;
    if (is_drive)
        listed += '/';
    const auto& names = names_below(listed);
    if (const auto* const name = look_up(names, lower(part)))
        return *name;
    const bool may_be_unlisted =
        drives_ == Drives::of_machine && (names.empty() || contains(part, "~"));
    if (may_be_unlisted && root_.exists(directory + '/' + part))
        return part;
    return std::nullopt;
}

std::optional<std::string> Disk::inside(std::string_view path) const {
    const auto absolute = absolute_windows_path(path);
    if (!absolute)
        return std::nullopt;
    std::string found;
    if (drives_ == Drives::of_machine)
        found = {static_cast<char>(std::toupper(static_cast<unsigned char>((*absolute)[0]))), ':'};
    else if (!lower(*absolute).starts_with(drive))
        return std::nullopt;
    for (const std::string& part : split(std::string_view(*absolute).substr(drive.size()), '\\')) {
        if (part.empty())
            continue;
        const auto name = name_in(found, part);
        if (!name)
            return std::nullopt;
        found += '/' + *name;
    }
    const bool is_drive = found.empty() || found.ends_with(':');
    if (is_drive)
        found += '/';
    return found;
}

bool Disk::is_directory(std::string_view path) const {
    const auto place = inside(path);
    if (!place)
        return false;
    const auto about = root_.status(*place);
    return about && about->is_directory();
}

std::vector<std::string> Disk::names_in(std::string_view directory) const {
    const auto place = inside(directory);
    std::vector<std::string> names;
    if (!place)
        return names;
    for (const auto& [key, name] : names_below(*place))
        names.push_back(name);
    return names;
}

std::vector<std::string> Disk::files_of(const std::string& pattern) const {
    if (!contains(pattern, "*"))
        return {pattern};
    const std::string name = dll_name(pattern);
    const auto star = name.find('*');
    const std::string start = lower(name.substr(0, star));
    std::string end;
    if (star != std::string::npos)
        end = lower(name.substr(star + 1));
    std::vector<std::string> files;
    for (const std::string& directory : files_of(dll_directory(pattern))) {
        if (star == std::string::npos && exists(directory + "\\" + name))
            files.push_back(directory + "\\" + name);
        if (star == std::string::npos)
            continue;
        for (const std::string& one : names_in(directory))
            if (lower(one).starts_with(start) && lower(one).ends_with(end))
                files.push_back(directory + "\\" + one);
    }
    return files;
}

std::string Disk::as_written(std::string_view path) const {
    const auto place = inside(path);
    if (!place)
        return std::string(path);
    return windows_path(*place);
}

std::string windows_path(std::string_view inside) {
    std::string path(inside);
    const bool has_drive = inside.size() > 1 && inside[1] == ':';
    if (!has_drive)
        path.insert(0, "C:");
    std::ranges::replace(path, '/', '\\');
    return path;
}

std::optional<std::string> absolute_windows_path(std::string_view path) {
    std::string text(path);
    std::ranges::replace(text, '/', '\\');
    if (text.size() < drive.size() || !is_letter(text[0]) || text[1] != ':' || text[2] != '\\')
        return std::nullopt;
    std::vector<std::string> parts;
    for (const std::string& part : split(std::string_view(text).substr(drive.size()), '\\')) {
        if (part.empty() || part == ".")
            continue;
        if (part != "..")
            parts.push_back(part);
        else if (!parts.empty())
            parts.pop_back();
    }
    return text.substr(0, drive.size()) + join(parts, "\\");
}

}  // namespace rnncheck::dll
