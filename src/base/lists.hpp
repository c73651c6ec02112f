// Small helpers for lists.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

namespace rnncheck {

template <class List, class Item>
bool includes(const List& list, const Item& item) {
    return std::ranges::find(list, item) != std::ranges::end(list);
}

template <class T>
void add_once(std::vector<T>& list, const std::type_identity_t<T>& item) {
    if (!includes(list, item)) list.push_back(item);
}

template <class T>
void append(std::vector<T>& list, std::type_identity_t<std::vector<T>> more) {
    std::ranges::move(more, std::back_inserter(list));
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

/// What a map has for a key; null when it has nothing.
template <class Map, class Key>
auto look_up(Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
}

}  // namespace rnncheck
