// Small helpers for lists.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace rnncheck {

template <class List, class Item>
bool includes(const List& list, const Item& item) {
    return std::ranges::find(list, item) != std::ranges::end(list);
}

/// Keeps the order of the first occurrences, unlike a set.
template <class T>
void add_once(std::vector<T>& list, const std::type_identity_t<T>& item) {
    if (!includes(list, item))
        list.push_back(item);
}

template <class T>
void append(std::vector<T>& list, std::type_identity_t<std::vector<T>> more) {
    std::ranges::move(more, std::back_inserter(list));
}

/// What `of`, which may be a member, gives for each item.
template <class List, class Of>
auto mapped(const List& list, Of of) {
    std::vector<std::decay_t<std::invoke_result_t<Of, decltype(*std::ranges::begin(list))>>>
        results;
    for (const auto& item : list)
        results.push_back(std::invoke(of, item));
    return results;
}

/// The first item for which `matches` holds; null when there is none.
template <class List, class Predicate>
auto find_where(List&& list, Predicate matches) {
    const auto found = std::ranges::find_if(list, matches);
    return found == std::ranges::end(list) ? nullptr : std::to_address(found);
}

/// The first item of which this member is `value`; null when there is none.
template <class List, class Value, class Member>
auto find_by(List&& list, Member member, const Value& value) {
    const auto found = std::ranges::find(list, value, member);
    return found == std::ranges::end(list) ? nullptr : std::to_address(found);
}

/// The items with the same key together, in the order of their first ones: pairs
/// of the key and pointers to them. The list holds items or pointers to them.
template <class List, class KeyOf>
auto grouped(const List& list, KeyOf key_of) {
    const auto pointer_to = []<class T>(const T& item) {
        if constexpr (std::is_pointer_v<T>)
            return item;
        else
            return &item;
    };
    using Item = decltype(pointer_to(*std::ranges::begin(list)));
    using Key = std::decay_t<std::invoke_result_t<KeyOf, decltype(*std::declval<Item>())>>;
    std::vector<std::pair<Key, std::vector<Item>>> groups;
    std::map<Key, std::size_t> places;
    for (const auto& item : list) {
        const auto [place, is_new] =
            places.try_emplace(std::invoke(key_of, *pointer_to(item)), groups.size());
        if (is_new)
            groups.push_back({place->first, {}});
        groups[place->second].second.push_back(pointer_to(item));
    }
    return groups;
}

/// The first and the last of each run of numbers: {0, 2} and {5, 5} of
/// 0, 1, 2, 5. They are sorted.
template <class Number>
std::vector<std::pair<Number, Number>> runs_in(const std::vector<Number>& numbers) {
    std::vector<std::pair<Number, Number>> runs;
    for (const Number number : numbers) {
        if (runs.empty() || runs.back().second != number - 1)
            runs.emplace_back(number, number);
        runs.back().second = number;
    }
    return runs;
}

/// What a map has for a key; null when it has nothing.
template <class Map, class Key>
auto look_up(Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
}

}  // namespace rnncheck
