// A directory that plays a machine's file system, below the build tree, removed at the end.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/files.hpp"

namespace rnncheck::test {

class FakeRoot {
  public:
    FakeRoot() {
        std::string name =
            (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fake_root_XXXXXX")
                .string();
        if (!mkdtemp(name.data()))
            throw std::runtime_error("cannot make " + name);
        directory_ = name;
        std::filesystem::permissions(directory_, std::filesystem::perms(0755));
    }
    ~FakeRoot() {
        std::filesystem::remove_all(directory_);
    }
    FakeRoot(const FakeRoot&) = delete;
    FakeRoot& operator=(const FakeRoot&) = delete;

    Root root() const {
        return Root(directory_.string());
    }
    std::string outside(const std::string& path) const {
        return directory_.string() + path;
    }

    FakeRoot& file(const std::string& path, const std::string& content) {
        make_parent(path);
        std::ofstream(outside(path), std::ios::binary | std::ios::trunc) << content;
        const auto directory = std::filesystem::path(path).parent_path().filename();
        return directory == "bin" || directory == "shims" ? mode(path, 0755) : *this;  // programs
    }
    FakeRoot& link(const std::string& path, const std::string& target) {
        make_parent(path);
        std::filesystem::create_symlink(target, outside(path));
        return *this;
    }
    FakeRoot& pipe(const std::string& path) {
        make_parent(path);
        if (mkfifo(outside(path).c_str(), 0600) != 0)
            throw std::runtime_error("no pipe " + path);
        return *this;
    }
    FakeRoot& socket(const std::string& path) {
        make_parent(path);
        if (mknod(outside(path).c_str(), S_IFSOCK | 0600, 0) != 0)
            throw std::runtime_error("no socket " + path);
        return *this;
    }
    FakeRoot& directory(const std::string& path) {
        std::filesystem::create_directories(outside(path));
        return *this;
    }
    FakeRoot& mode(const std::string& path, unsigned bits) {
        std::filesystem::permissions(outside(path), std::filesystem::perms(bits));
        return *this;
    }

  private:
    void make_parent(const std::string& path) {
        std::filesystem::create_directories(std::filesystem::path(outside(path)).parent_path());
    }
    std::filesystem::path directory_;
};

/// Sets or (with nothing) removes variables; puts the old values back at the end.
class Environment {
  public:
    explicit Environment(const std::map<std::string, std::optional<std::string>>& wanted) {
        for (const auto& [name, value] : wanted) {
            const char* old = std::getenv(name.c_str());
            old_[name] = old ? std::optional<std::string>(old) : std::nullopt;
            set(name, value);
        }
    }
    ~Environment() {
        for (const auto& [name, value] : old_)
            set(name, value);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

  private:
    static void set(const std::string& name, const std::optional<std::string>& value) {
        if (value)
            setenv(name.c_str(), value->c_str(), 1);
        else
            unsetenv(name.c_str());
    }
    std::map<std::string, std::optional<std::string>> old_;
};

/// Tests that run as root act as an ordinary user for a while, so that permissions count.
class OrdinaryUser {
  public:
    OrdinaryUser() : changed_(geteuid() == 0 && seteuid(65534) == 0) {
    }
    ~OrdinaryUser() {
        if (changed_ && seteuid(0) != 0)
            std::abort();
    }
    OrdinaryUser(const OrdinaryUser&) = delete;
    OrdinaryUser& operator=(const OrdinaryUser&) = delete;

  private:
    bool changed_;
};

}  // namespace rnncheck::test
