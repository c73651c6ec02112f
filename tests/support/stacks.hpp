// Combinations of versions, as people give them: every pair of table rows near its border, and
// drawn ones.
#pragma once

#include <algorithm>
#include <random>
#include <set>

#include "stack/given.hpp"
#include "stack/questions.hpp"
#include "support/bundled_matrix.hpp"

namespace rnncheck::test {

using GivenValues = std::vector<GivenValue>;

inline std::string words_of_stack(const GivenValues& values) {
    std::string words;
    for (const GivenValue& value : values)
        words += value.key + "=" + value.value + ' ';
    return words;
}

inline Version last_of(const FrameworkBuild& build) {
    return build.last.value_or(build.first);
}

inline GivenValue named(
    const FrameworkBuild& build, const Version& version, bool with_build = true) {
    return {
        build.framework,
        version.text + (with_build && !build.build.empty() ? "+" + build.build : "")};
}

/// The version one below and one above in the last number that is written, beside itself: 525.60.12
/// to 525.60.14. Those of drivers have as many digits as the version itself: 450.80.01 below
/// 450.80.02.
inline std::vector<std::string> around(const Version& version) {
    const std::size_t at = version.text.rfind('.') + 1;  // 0 without a dot
    const std::string before = version.text.substr(0, at), last = version.text.substr(at);
    const auto padded = [&](int number) {
        std::string text = std::to_string(number);
        const std::size_t digits = parts_written(version) == 3 ? last.size() : 0;
        return before + std::string(digits - std::min(digits, text.size()), '0') + text;
    };
    const int number = std::stoi(last);
    std::vector<std::string> all = {version.text, padded(number + 1)};
    if (number > 0)
        all.push_back(padded(number - 1));
    return all;
}

/// Every pair of rows, each value directly below, at and above the limit that the other sets.
class BorderStacks {
  public:
    std::vector<GivenValues> all() {
        drivers_and_cuda();
        cudnn_and_gpu();
        cudnn_and_cuda();
        for (const FrameworkBuild& build : matrix.framework_builds()) {
            if (!build.cuda || build.os == "macos")
                continue;
            build_and_driver(build);
            build_and_python(build);
            build_and_gpu(build);
            if (build.libraries == "system")
                build_and_libraries(build);
        }
        pairs_of_frameworks();
        return std::move(stacks_);
    }

  private:
    const Matrix& matrix = bundled_matrix();
    std::vector<GivenValues> stacks_;

    void add(GivenValues values) {
        stacks_.push_back(std::move(values));
    }

    std::set<std::string> drivers_around(const Version& cuda, const std::string& os) const {
        std::set<std::string> drivers;
        if (const auto row = stack::drivers_for(cuda, os, matrix))
            for (const Version& limit : {row->oldest_driver, row->full_driver})
                for (const std::string& driver : around(limit))
                    drivers.insert(driver);
        return drivers;
    }

    void drivers_and_cuda() {
        for (const DriverForCuda& row : matrix.driver_for_cuda())
            for (const std::string os : {"linux", "windows"})
                for (const std::string& driver : drivers_around(row.cuda, os))
                    add({{"os", os}, {"driver", driver}, {"cuda", row.cuda.text}});
    }

    /// Both sides of each change from one architecture to the next.
    template <class Fits>
    std::set<std::string> gpus_at_borders(Fits&& fits) const {
        std::set<std::string> gpus;
        const Architecture* before = nullptr;
        for (const Architecture& gpu : matrix.architectures()) {
            if (gpu.integrated)
                continue;
            if (before && fits(before->capability) != fits(gpu.capability))
                gpus.insert({before->capability.text, gpu.capability.text});
            before = &gpu;
        }
        return gpus;
    }

    void cudnn_and_gpu() {
        for (const CudnnBuild& row : matrix.cudnn_builds())
            for (const Version& cudnn : {row.cudnn, row.last()})
                for (const std::string& gpu : gpus_at_borders(
                         [&](const Version& one) { return stack::cudnn_on_gpu(row, one).fit; }))
                    add(
                        {{"gpu", gpu},
                         {"cudnn", cudnn.text + "+cu" + std::to_string(row.cuda_major)}});
    }

    void cudnn_and_cuda() {
        for (const CudnnBuild& row : matrix.cudnn_builds())
            for (const auto& limit : {row.cuda_min, row.cuda_max})
                for (const std::string& cuda : limit ? around(*limit) : std::vector<std::string>())
                    add(
                        {{"os", "linux"},
                         {"cuda", cuda},
                         {"cudnn", row.last().text + "+cu" + std::to_string(row.cuda_major)}});
    }

    void build_and_driver(const FrameworkBuild& build) {
        for (const std::string& driver : drivers_around(*build.cuda, build.os))
            add({{"os", build.os}, named(build, last_of(build)), {"driver", driver}});
    }

    void build_and_python(const FrameworkBuild& build) {
        std::set<std::string> pythons;
        for (const auto& limit : {build.python_first, build.python_last})
            for (const std::string& python : limit ? around(*limit) : std::vector<std::string>())
                pythons.insert(python);
        for (const std::string& python : pythons)
            add({{"os", build.os}, named(build, last_of(build)), {"python", python}});
    }

    void build_and_gpu(const FrameworkBuild& build) {
        const auto fits = [&](const Version& gpu) {
            return stack::build_and_cudnn_on_gpu(build, gpu, {}, matrix).fit;
        };
        for (const std::string& gpu : gpus_at_borders(fits)) {
            add({{"os", build.os}, named(build, last_of(build)), {"gpu", gpu}});
            add({{"os", build.os}, named(build, build.first, false), {"gpu", gpu}});
        }
    }

    /// What the build takes from the system: the minor and major versions around those that it was
    /// built for.
    void build_and_libraries(const FrameworkBuild& build) {
        const auto near = [](const Version& version) {
            std::vector<std::string> all = around(shortened(version, 2));
            for (const int major : {version.major() - 1, version.major() + 1})
                all.push_back(make_version({major, 0}).text);
            return all;
        };
        for (const std::string& cuda : near(*build.cuda))
            add({{"os", build.os}, named(build, last_of(build)), {"cuda", cuda}});
        for (const std::string& cudnn :
             build.cudnn ? near(*build.cudnn) : std::vector<std::string>())
            add({{"os", build.os}, named(build, last_of(build)), {"cudnn", cudnn + ".0"}});
    }

    /// Of two frameworks in one environment each build whose packages require a cuDNN with each of
    /// the other one.
    void pairs_of_frameworks() {
        std::vector<const FrameworkBuild*> builds;
        for (const FrameworkBuild& build : matrix.framework_builds())
            if (build.os == "linux" && build.libraries == "wheels" && build.cudnn)
                builds.push_back(&build);
        for (const FrameworkBuild* one : builds)
            for (const FrameworkBuild* other : builds)
                if (one->framework < other->framework)
                    add(
                        {{"os", "linux"},
                         named(*one, last_of(*one)),
                         named(*other, last_of(*other))});
    }
};

/// A driver, a GPU, a Python, libraries of the system and frameworks, drawn from the tables and
/// what is near them.
class DrawnStacks {
  public:
    explicit DrawnStacks(unsigned seed) : random_(seed) {
    }

    GivenValues next() {
        const FrameworkBuild& build = drawn_build();
        const std::string os = build.os == "macos" ? "linux" : build.os;
        GivenValues values = {{"os", os}, named(build, last_of(build), chance(60))};
        if (chance(80))
            values.push_back({"driver", one_of(drivers)});
        if (chance(80))
            values.push_back({"gpu", one_of(gpus)});
        if (chance(40))
            values.push_back({"python", one_of(pythons)});
        if (chance(20))
            values.push_back({"cuda", one_of(cudas)});
        if (chance(15))
            values.push_back({"cudnn", one_of(cudnns)});
        if (const FrameworkBuild& other = drawn_build();
            chance(10) && other.framework != build.framework && other.os == os)
            values.push_back(named(other, last_of(other), chance(60)));
        return values;
    }

  private:
    using Words = std::vector<std::string>;
    const Words drivers{
        "390.48",
        "440.33",
        "450.80",
        "450.80.02",
        "460",
        "470.256.02",
        "510",
        "525.60",
        "525.60.13",
        "535.104.05",
        "550.54.15",
        "570.86.10",
        "580.65.06",
        "590.44.01",
        "620.70.06",
        "640.10.01"};
    const Words gpus{
        "3.5", "3.7", "5.2", "6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"};
    const Words pythons{"3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"};
    const Words cudas{"10.0", "10.2", "11.2", "11.8", "12.0", "12.4", "12.8", "13.0"};
    const Words cudnns{"7.6.5", "8.1.1", "8.6.0", "8.9.7", "9.1.0", "9.3.0", "9.10.2", "9.15.1"};

    std::size_t number(std::size_t below) {
        return random_() % below;
    }
    bool chance(unsigned percent) {
        return random_() % 100 < percent;
    }
    const std::string& one_of(const Words& choices) {
        return choices[number(choices.size())];
    }
    const FrameworkBuild& drawn_build() {
        const std::vector<FrameworkBuild>& builds = bundled_matrix().framework_builds();
        return builds[number(builds.size())];
    }

    std::mt19937 random_;
};

}  // namespace rnncheck::test
