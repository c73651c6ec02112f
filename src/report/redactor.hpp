// Replaces private things by words, the same word for the same thing as long as the object lives.
#pragma once

#include <map>
#include <unordered_map>

#include "report/redact.hpp"
#include "report/secrets.hpp"

namespace rnncheck {

class Redactor {
  public:
    explicit Redactor(const Identity& identity);

    /// Takes note of names that the text shows in a telling place, so that they are known in other places too.
    void learn(std::string_view text);
    /// The same for an environment variable whose whole value is private: USER, HOME, HOSTNAME.
    void learn_variable(std::string_view name, std::string_view value);

    std::string redacted(std::string_view text);

  private:
    struct Secret {
        std::string text;
        std::string kind;
    };

    void add_word(std::string_view text, std::string_view kind);
    void add_host(std::string_view name);
    void add_user(std::string_view name);
    void add_home(std::string_view folder);
    std::string word_for(std::string_view kind, std::string_view secret);
    std::string word_for_user(std::string_view name);
    bool replace_uuid(std::string_view text, std::size_t& at, std::string& out);
    bool replace_home(std::string_view text, std::size_t& at, std::string& out);
    bool replace_word(std::string_view text, std::size_t& at, std::string& out);

    std::vector<std::string> homes_;
    std::unordered_map<std::string, std::vector<Secret>> words_;  ///< by the run of word characters they begin with
    std::size_t known_words_ = 0;
    std::map<std::string, std::map<std::string, int, std::less<>>, std::less<>> numbers_;  ///< by kind, then by secret
    std::map<std::string, int, std::less<>> last_number_;
};

}  // namespace rnncheck
