// Copied tables to plant faults in.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/catch.hpp"

namespace rnncheck::test {

/// Freshly copied tables beside the test program, gone at the end.
struct MatrixCopy {
    std::filesystem::path directory =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() /
        ("matrix_copy_" + std::to_string(getpid()));  // test programs run side by side

    MatrixCopy() {
        std::filesystem::remove_all(directory);
        std::filesystem::create_directory(directory);
        for (const auto& entry :
             std::filesystem::directory_iterator(PROJECT_DIRECTORY "/compat_matrix"))
            std::filesystem::copy(entry, directory);
    }
    ~MatrixCopy() {
        std::filesystem::remove_all(directory);
    }
    MatrixCopy(const MatrixCopy&) = delete;
    MatrixCopy& operator=(const MatrixCopy&) = delete;

    static std::string content_of(const std::filesystem::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    void write(const std::string& file, const std::string& text) const {
        std::ofstream(directory / file, std::ios::binary) << text;
    }

    /// The first place only.
    void replace(
        const std::string& file, const std::string& old_text, const std::string& new_text) const {
        std::string text = content_of(directory / file);
        const auto at = text.find(old_text);
        INFO(file << ": " << old_text);
        REQUIRE(at != std::string::npos);
        write(file, text.replace(at, old_text.size(), new_text));
    }
};

}  // namespace rnncheck::test
