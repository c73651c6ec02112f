// Each probe returns facts with its own fields set and all others empty, so
// that joining them needs no knowledge of any field.
#include "facts/facts.hpp"

namespace rnncheck {

namespace {

template <class T>
void merge_into(T& into, T& from);

/// Fields are joined by their place in the structure.
template <class T>
void join_fields(T& into, T& from) {
    // Both visits see the same members in the same order, so the n-th address
    // of one belongs to the n-th of the other.
    std::vector<void*> members;
    T::fields(from, [&](const char*, auto& member, const char*) { members.push_back(&member); });
    std::size_t n = 0;
    T::fields(into, [&]<class M>(const char*, M& member, const char*) {
        merge_into(member, *static_cast<M*>(members[n++]));
    });
}

/// A list whose elements state who they are: news about a known one joins it.
template <class T>
concept Keyed = requires(const T& t) {
    t.key();
};

template <Keyed T>
void join_lists(std::vector<T>& into, std::vector<T>& from) {
    for (T& news : from) {
        T* const known = find_by(into, &T::key, news.key());
        if (!known)
            into.push_back(std::move(news));
        else
            merge_into(*known, news);
    }
}

/// Elements of a list without a key are never the same thing: they are appended.
template <class T>
void join_lists(std::vector<T>& into, std::vector<T>& from) {
    append(into, std::move(from));
}

template <class T>
void merge_into(T& into, T& from) {
    if constexpr (IsOptional<T>::value) {
        if (!into)
            into = std::move(from);
    } else if constexpr (IsVector<T>::value) {
        join_lists(into, from);
    } else if constexpr (std::is_same_v<T, TextMap>) {
        into.merge(from);
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (into.empty())
            into = std::move(from);
    } else if constexpr (Fielded<T>) {
        join_fields(into, from);
    }
}

}  // namespace

void merge(Facts& facts, Facts more) {
    merge_into(facts, more);
}

}  // namespace rnncheck
