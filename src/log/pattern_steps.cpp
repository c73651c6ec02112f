#include "log/pattern_steps.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/errors.hpp"
#include "log/phrase.hpp"
#include "log/rare_words.hpp"

namespace rnncheck::log_reader {

namespace {

using Kind = Step::Kind;
using Ways = std::vector<Steps>;

constexpr std::size_t most_ways = 128;
constexpr std::size_t most_optional = 4;  ///< ways
constexpr std::size_t small_set = 8;

Step exactly(char c) {
    Step step;
    step.bytes.set(static_cast<unsigned char>(c));
    step.byte = c;
    return step;
}

/// What stands for no visible byte.
Step unseen(Kind kind) {
    return {kind, {}, {}, 0};
}

/// A set that holds white space may stand for nothing, because blanks are not told apart from none.
Step any_of(const std::bitset<256>& bytes) {
    Step step{Kind::one, bytes};
    for (std::size_t c = 0; c <= ' '; ++c)
        if (bytes[c]) step.kind = Kind::many;
    return step;
}

/// None to `times` of what `ways` may use.
Step repeated(const Ways& ways, std::size_t times) {
    Step all{Kind::many, {}, {}, std::min(longest(ways) * times, Step::unlimited)};
    for (const Steps& way : ways)
        for (const Step& step : way) {
            if (step.kind == Kind::gap || step.kind == Kind::line_start) all.kind = Kind::gap;
            all.bytes |= step.bytes;
        }
    return all;
}

Step left_out(const Ways& ways) {
    Step gap{Kind::gap, {}, {}, longest(ways), rare_words_of(ways)};
    for (const Steps& way : ways)
        for (const Step& step : way) gap.bytes |= step.bytes;
    return gap;
}

/// Of two parts of a pattern the one that is easier to search for stays.
void leave_out_one(Ways& ways, const Ways& next) {
    const auto least = [](const Ways& all) {
        double least_worth = worth(all.front());
        for (const Steps& way : all) least_worth = std::min(least_worth, worth(way));
        return least_worth;
    };
    if (least(ways) < least(next)) {
        const Step before = left_out(ways);
        ways = next;
        for (Steps& way : ways) way.insert(way.begin(), before);
    } else {
        const Step after = left_out(next);
        for (Steps& way : ways) way.push_back(after);
    }
}

/// Recursive descent over the syntax of RE2 that the table uses.
class Reader {
  public:
    Reader(std::string_view pattern, bool small_sets_apart) : rest_(pattern), apart_(small_sets_apart) {}

    Ways all() {
        Ways ways = alternatives();
        if (!rest_.empty()) throw InputError("a bracket is closed that was not opened");
        return ways;
    }

  private:
    bool skip(std::string_view what) {
        if (!rest_.starts_with(what)) return false;
        rest_.remove_prefix(what.size());
        return true;
    }

    char take() {
        if (rest_.empty()) throw InputError("the pattern ends too early");
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    Ways alternatives() {
        Ways ways = sequence();
        while (skip("|")) {
            const Ways more = sequence();
            ways.insert(ways.end(), more.begin(), more.end());
        }
        return ways;
    }

    Ways sequence() {
        Ways ways = {{}};
        while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') append(ways, quantified(piece()));
        return ways;
    }

    static void append(Ways& ways, const Ways& next) {
        if (ways.size() * next.size() > most_ways) {
            leave_out_one(ways, next);
            return;
        }
        Ways both;
        for (const Steps& way : ways)
            for (const Steps& more : next) {
                both.push_back(way);
                both.back().insert(both.back().end(), more.begin(), more.end());
            }
        ways = std::move(both);
    }

    Ways quantified(Ways ways) {
        bool may_be_none = false;
        std::size_t times = Step::unlimited;
        if (skip("?")) {
            skip("?");
            return optional(std::move(ways));
        }
        if (skip("*")) {
            may_be_none = true;
        } else if (skip("{")) {
            may_be_none = rest_.starts_with("0");
            times = most_times();
        } else if (!skip("+")) {
            return ways;
        }
        skip("?");  // as few as possible: no matter here
        const Step more = repeated(ways, times);
        if (may_be_none) return {{more}};
        for (Steps& way : ways) way.push_back(more);
        return ways;
    }

    /// "3,9}" or "3}" or "3,}"
    std::size_t most_times() {
        std::string last;
        for (char c = take(); c != '}'; c = take()) c == ',' ? last.clear() : last.push_back(c);
        std::size_t most = Step::unlimited;
        const auto read = std::from_chars(last.data(), last.data() + last.size(), most);
        if (!last.empty() && (read.ec != std::errc() || read.ptr != last.data() + last.size()))
            throw InputError("a number is expected in braces: {3}, {3,} or {3,9}");
        return std::min(most, Step::unlimited);
    }

    /// Telling none from one apart is worth while for more than a byte.
    static Ways optional(Ways ways) {
        if (ways.size() > most_optional || ways.front().size() < 2) return {{repeated(ways, 1)}};
        ways.emplace_back();
        return ways;
    }

    Ways piece() {
        const char c = take();
        if (c == '(') return group();
        if (c == '[') return set();
        if (c == '.') return {{{Kind::gap, std::bitset<256>().set()}}};
        if (c == '^' || c == '$') return {{unseen(Kind::line_start)}};
        if (c == ' ') return {{unseen(Kind::blank)}};
        if (c == '\\') return escape();
        return {{exactly(c)}};
    }

    Ways group() {
        if (skip("?P<"))
            while (take() != '>') continue;
        else if (!skip("?:") && rest_.starts_with("?"))
            throw InputError("groups are (...), (?:...) or (?P<name>...)");
        Ways ways = alternatives();
        if (!skip(")")) throw InputError("a bracket is not closed");
        return ways;
    }

    Ways escape() {
        const char c = take();
        if (c == 'n') return {{unseen(Kind::line_start)}};
        if (c == 'b') return {{unseen(Kind::boundary)}};
        if (c == 's') return {{unseen(Kind::blank)}};
        if (std::isalnum(static_cast<unsigned char>(c))) throw InputError(std::string("\\") + c + " is not known here");
        return {{exactly(c)}};
    }

    Ways set() {
        const bool all_but = skip("^");
        std::bitset<256> bytes;
        while (!skip("]")) add_to(bytes);
        if (bytes[' ']) bytes.set('*');  // RE2 is given \s* for each blank
        if (all_but) bytes.flip();
        const Step step = any_of(bytes);
        if (!apart_ || step.kind != Kind::one || bytes.count() > small_set) return {{step}};
        Ways ways;
        for (std::size_t c = 0; c < 256; ++c)
            if (bytes[c]) ways.push_back({exactly(static_cast<char>(c))});
        return ways;
    }

    void add_to(std::bitset<256>& bytes) {
        char first = take();
        if (first == '\\') {
            first = take();
            if (first == 's' || first == 'n') first = ' ';
        }
        char last = first;
        if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
            take();
            last = take();
        }
        for (int c = static_cast<unsigned char>(first); c <= static_cast<unsigned char>(last); ++c) bytes.set(c);
    }

    std::string_view rest_;
    bool apart_;
};

}  // namespace

std::size_t longest(const std::vector<Steps>& ways) {
    std::size_t most = 0;
    for (const Steps& way : ways) {
        std::size_t of_way = 0;
        for (const Step& step : way) of_way += step.most;
        most = std::max(most, std::min(of_way, Step::unlimited));
    }
    return most;
}

std::vector<Steps> ways_of(std::string_view pattern, bool small_sets_apart) {
    return Reader(pattern, small_sets_apart).all();
}

}  // namespace rnncheck::log_reader
