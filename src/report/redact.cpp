#include "report/redact.hpp"

#include <algorithm>

#include "report/redactor.hpp"

namespace rnncheck {

namespace {

/// Ids and stamps are our own words, and other people's scripts look for them.
bool is_our_own(std::string_view field) {
    return field == "rule" || field == "probe" || field == "stages" || field == "matrix_date" ||
           field == "matrix_digest" || field == "signature";
}

template <class T, class Act>
void for_each_text(T& value, const Act& act) {
    if constexpr (std::is_same_v<T, std::string>)
        act(value);
    else if constexpr (std::is_same_v<T, TextMap>) {
        TextMap changed;
        for (const auto& [key, text] : value) {
            std::string new_key = key, new_text = text;
            act(new_key, new_text);
            changed.emplace(std::move(new_key), std::move(new_text));
        }
        value = std::move(changed);
    } else if constexpr (IsOptional<T>::value) {
        if (value) for_each_text(*value, act);
    } else if constexpr (IsVector<T>::value) {
        if constexpr (!std::is_arithmetic_v<typename T::value_type>)
            for (auto& item : value) for_each_text(item, act);
    } else if constexpr (Fielded<T>) {
        T::fields(value, [&](const char* name, auto& member, const char*) {
            if (!is_our_own(name)) for_each_text(member, act);
        });
    }
}

struct Learner {
    Redactor& redactor;

    void operator()(const std::string& text) const { redactor.learn(text); }
    void operator()(const std::string& key, const std::string& text) const {
        redactor.learn_variable(key, text);
        redactor.learn(text);
    }
};

struct Changer {
    Redactor& redactor;

    void operator()(std::string& text) const { text = redactor.redacted(text); }
    void operator()(std::string& key, std::string& text) const {
        key = redactor.redacted(key);
        text = redactor.redacted(text);
    }
};

template <class Document>
Document redacted(Document document, const Identity& identity) {
    Redactor redactor(identity);
    for_each_text(document, Learner{redactor});
    for_each_text(document, Changer{redactor});
    return document;
}

}  // namespace

Report redact(Report report, const Identity& identity) {
    return redacted(std::move(report), identity);
}

WhichDocument redact(WhichDocument document, const Identity& identity) {
    return redacted(std::move(document), identity);
}

std::string redact(std::string_view text, const Identity& identity) {
    Redactor redactor(identity);
    redactor.learn(text);
    return redactor.redacted(text);
}

}  // namespace rnncheck
