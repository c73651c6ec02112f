// The cases of recurrent networks: sorted, named and drawn.
#include "report/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "facts/rnn_runs.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

/// The same cuDNN on two GPUs with the same, good results in every case: one
/// table is enough for both. What failed is shown for each GPU.
bool have_equal_results(const Sweep& a, const Sweep& b) {
    const auto same = [](const RnnRun* one, const RnnRun* other) {
        return one->end == other->end && one->number == other->number &&
               !look_of(one->end).is_bad() && one->end != RunEnd::skipped &&
               one->bitwise_repeatable == other->bitwise_repeatable;
    };
    return a.library == b.library && a.rnn_api == b.rnn_api &&
           std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(), same);
}

/// In pixels, for a monospaced font of 11.
constexpr int cell_size = 16, margin = 16, line_height = 15, letter_width = 7;
constexpr std::size_t longest_words = 300;

/// The columns of every grid, so that grids below each other can be compared.
std::vector<std::string> all_shapes(const Facts& facts) {
    const auto shapes =
        grouped(facts.rnn_runs, [](const RnnRun& run) { return shape_of(run.rnn_case); });
    return mapped(shapes, [](const auto& shape) { return shape.first; });
}

/// Draws from top to bottom and knows how large the picture became.
struct Picture {
    std::string body = {};
    int y = margin, widest = 0;

    void draw(int right, const std::string& element) {
        body += element + '\n';
        widest = std::max(widest, right);
    }

    void at(int x, int bottom, std::string_view words, std::string_view style = "") {
        draw(
            x + letter_width * static_cast<int>(std::min(words.size(), longest_words)),
            concat(
                "<text x=\"",
                x,
                "\" y=\"",
                bottom,
                "\" ",
                style,
                '>',
                xml(words, longest_words),
                "</text>"));
    }

    void text(std::string_view words, std::string_view style = "") {
        y += line_height;
        at(margin, y, words, style);
    }

    /// A case, or several of one kind and shape: colored, with a letter and a
    /// tooltip.
    void square(int x, RunEnd end, std::string_view tip) {
        const RunEndLook& look = look_of(end);
        draw(
            x + cell_size,
            concat(
                "<g><title>",
                xml(tip, longest_words),
                "</title><rect x=\"",
                x,
                "\" y=\"",
                y,
                "\" width=\"",
                cell_size - 1,
                "\" height=\"",
                cell_size - 1,
                "\" fill=\"",
                look.fill,
                "\"/><text x=\"",
                x + cell_size / 2,
                "\" y=\"",
                y + 12,
                "\" text-anchor=\"middle\" fill=\"",
                look.ink,
                "\">",
                look.letter,
                "</text></g>"));
    }

    /// The document. White behind it, because a page may be dark.
    std::string finished(std::string_view title) const {
        const int width = widest + margin, height = y + margin;
        return concat(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"",
            width,
            "\" height=\"",
            height,
            "\" viewBox=\"0 0 ",
            width,
            ' ',
            height,
            "\" role=\"img\" aria-label=\"",
            xml(title, longest_words),
            "\" font-family=\"monospace\" font-size=\"11\">\n<rect width=\"",
            width,
            "\" height=\"",
            height,
            "\" fill=\"#ffffff\"/>\n",
            body,
            "</svg>\n");
    }
};

/// The grid of one sweep: a row for each kind, a numbered column for each
/// shape.
void draw_sweep(Picture& page, const Sweep& sweep, const std::vector<std::string>& shapes) {
    page.y += line_height;
    page.text(
        concat(gpus_in_words(sweep.gpus), ", ", sweep.rnn_api, " API, ", sweep.library),
        "font-weight=\"bold\"");
    const auto rows = grouped(sweep.runs, [](const RnnRun& run) { return kind_of(run.rnn_case); });
    std::size_t widest = 0;
    for (const auto& [kind, runs] : rows)
        widest = std::max(widest, kind.size());
    const int left = margin + letter_width * static_cast<int>(widest + 1);
    page.y += 2 * line_height;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const int x = left + cell_size * static_cast<int>(i) + cell_size / 2 + 4;
        page.at(
            x,
            page.y,
            std::to_string(i + 1),
            concat("font-size=\"9\" transform=\"rotate(-90 ", x, ' ', page.y, ")\""));
    }
    page.y += 4;
    for (const auto& [kind, runs] : rows) {
        page.at(margin, page.y + 12, kind);
        for (const auto& [shape, cases] :
             grouped(runs, [](const RnnRun& run) { return shape_of(run.rnn_case); })) {
            const RunEnd end = worst_of(cases);
            const auto column = std::ranges::find(shapes, shape) - shapes.begin();
            page.square(
                left + cell_size * static_cast<int>(column),
                end,
                concat(look_of(end).word, ": ", kind, ", ", shape));
        }
        page.y += cell_size;
    }
}

/// What the colors mean, only of ends that occur, and what the columns are.
void draw_legend(Picture& page, const Facts& facts, const std::vector<std::string>& shapes) {
    page.y += line_height;
    for (std::size_t i = 0; i < names_of(RunEnd{}).size(); ++i) {
        const auto end = static_cast<RunEnd>(i);
        if (!find_by(facts.rnn_runs, &RnnRun::end, end))
            continue;
        page.square(margin, end, look_of(end).word);
        page.at(margin + cell_size + 4, page.y + 12, look_of(end).word);
        page.y += cell_size;
    }
    page.text("Columns (I input, H hidden, B batch, T steps, L layers, P projection):");
    for (std::size_t i = 0; i < shapes.size(); ++i)
        page.text(concat(i + 1, ": ", shapes[i]));
}

/// The kind of network of each test, and how a number of it relates to its bound.
using Ratios = std::vector<std::pair<std::string, double>>;

/// The power of ten of a ratio, of which what is beyond `lowest` and `highest` is drawn at the
/// edge.
double power_of(double ratio, int lowest, int highest) {
    if (std::isnan(ratio))
        return highest;
    return std::clamp<double>(std::log10(ratio), lowest, highest);
}

/// A row for each kind, a point for each ratio on a scale of the powers of ten that occur, and a
/// line at 1, which may be a limit.
std::string ratios_svg(
    const Ratios& ratios, const std::string& title, int lowest, int highest, bool one_is_limit) {
    constexpr int power_width = 60;
    int first = -1, last = 1;
    for (const auto& [kind, value] : ratios) {
        const double power = power_of(value, lowest, highest);
        first = std::min(first, static_cast<int>(std::floor(power)));
        last = std::max(last, static_cast<int>(std::ceil(power)));
    }
    std::map<std::string, std::set<std::pair<int, bool>>>
        rows;  // what would lie on another point is drawn once
    std::size_t widest = 0;
    for (const auto& [kind, value] : ratios) {
        const double power = power_of(value, lowest, highest);
        rows[kind].insert(
            {static_cast<int>((power - first) * power_width), one_is_limit && !(value <= 1)});
        widest = std::max(widest, kind.size());
    }
    Picture page;
    page.text(title, "font-weight=\"bold\" font-size=\"14\"");
    page.y += line_height / 2;
    const int left = margin + letter_width * static_cast<int>(widest + 2),
              top = page.y + line_height;
    const int bottom = top + line_height * static_cast<int>(rows.size() + 1);
    for (int power = first; power <= last; ++power) {
        const int x = left + (power - first) * power_width;
        page.draw(
            x + margin,
            concat(
                "<path d=\"M",
                x,
                ' ',
                top,
                'V',
                bottom,
                "\" stroke=\"",
                power == 0 ? "#000000" : "#DDDDDD",
                "\"/>"));
        page.at(x - 10, top - 3, power == 0 ? "1" : concat("1e", power));
    }
    page.y += line_height;
    for (const auto& [kind, points] : rows) {
        page.text(kind);
        const int y = page.y - 4;
        for (const auto& [point, is_beyond] :
             points) {  // a cross where it is beyond the limit, else a dot
            const int x = left + point;
            if (is_beyond)
                page.draw(
                    x,
                    concat(
                        "<path d=\"M",
                        x - 4,
                        ' ',
                        y - 4,
                        "l8 8m-8 0l8 -8\" stroke=\"#B3261E\" stroke-width=\"2\"/>"));
            else
                page.draw(
                    x, concat("<circle cx=\"", x, "\" cy=\"", y, "\" r=\"3\" fill=\"#0072B2\"/>"));
        }
    }
    page.y += line_height;
    return page.finished(title);
}

/// Below 1 is correct; how far below shows how much room the limit leaves.
Ratios errors_against_limits(const Facts& facts) {
    Ratios ratios;
    for (const RnnRun& run : facts.rnn_runs)
        if (run.largest_error && run.limit && *run.limit > 0)
            ratios.emplace_back(kind_of(run.rnn_case), *run.largest_error / *run.limit);
    return ratios;
}

/// Only of cases that passed, on GPUs whose clocks and memory bus are known.
Ratios times_against_model(const Facts& facts) {
    Ratios ratios;
    for (const Gpu& gpu : facts.cuda_devices)
        if (const auto peak = peak_of(gpu))
            for (const RnnRun& run : facts.rnn_runs)
                if (run.gpu == gpu.index && run.repeat_ms && run.end == RunEnd::ok)
                    ratios.emplace_back(
                        kind_of(run.rnn_case), *run.repeat_ms / model_ms(run.rnn_case, *peak));
    return ratios;
}

}  // namespace

/// In the order of the first case of each.
std::vector<Sweep> sweeps_of(const Facts& facts) {
    std::vector<Sweep> sweeps;
    const auto place = [](const RnnRun& run) {
        return std::tuple(run.library, run.rnn_api, run.gpu);
    };
    for (const auto& [of, runs] : grouped(facts.rnn_runs, place)) {
        const auto& [library, rnn_api, gpu] = of;
        const Sweep sweep{library, rnn_api, {gpu}, runs};
        if (Sweep* const like =
                find_where(sweeps, [&](const Sweep& s) { return have_equal_results(s, sweep); }))
            like->gpus.push_back(gpu);
        else
            sweeps.push_back(sweep);
    }
    return sweeps;
}

std::string kind_of(const RnnCase& rnn_case) {
    std::string name = network_name(rnn_case.cell);
    if (rnn_case.training)
        name += " training";
    return concat(name, ' ', rnn_case.dtype, ' ', rnn_case.math, ' ', rnn_case.algorithm);
}

/// As describe() writes it, from the first size on.
std::string shape_of(RnnCase rnn_case) {
    constexpr std::size_t most_lengths = 16;
    const std::size_t lengths = rnn_case.lengths.size();
    rnn_case.lengths.resize(std::min(lengths, most_lengths));
    rnn_case.training = false;
    const std::string words = describe(rnn_case);
    const std::size_t sizes = words.find('=');  // "I=32 H=48": after the letter of the first size
    std::string shown_words = words.substr(sizes == std::string::npos ? 0 : sizes - 1);
    if (lengths > most_lengths)
        shown_words += concat(" of ", lengths, " lengths");
    return shown_words;
}

std::string network_name(Cell cell) {
    constexpr const char* names[] = {"LSTM", "GRU", "tanh", "ReLU"};
    return names[static_cast<std::size_t>(cell)];
}

const RunEndLook& look_of(RunEnd end) {
    // Okabe and Ito's palette, which color-blind people can distinguish ("Color Universal Design",
    // 2008).
    static constexpr RunEndLook looks[] = {
        {"ok", 0, '.', "#009E73", "#ffffff"},
        {"not supported", 1, '-', "#DDDDDD", "#444444"},
        {"rejected", 3, 'r', "#E69F00", "#000000"},
        {"out of memory", 4, 'm', "#56B4E9", "#000000"},
        {"failed", 5, 'X', "#000000", "#ffffff"},
        {"WRONG", 6, 'W', "#D55E00", "#ffffff"},
        {"not run", 2, 's', "#F0E442", "#000000"}};
    return looks[static_cast<std::size_t>(end)];
}

RunEnd worst_of(const Cases& cases) {
    const auto weight = [](const RnnRun* run) { return look_of(run->end).weight; };
    if (cases.empty())
        return RunEnd::ok;
    return (*std::ranges::max_element(cases, {}, weight))->end;
}

std::string gpus_in_words(const std::vector<int>& gpus) {
    const auto range = [](const std::pair<int, int>& run) {
        if (run.first == run.second)
            return std::to_string(run.first);
        return concat(run.first, '-', run.second);
    };
    std::string word = "GPUs ";
    if (gpus.size() == 1)
        word = "GPU ";
    return word + join_with_and(mapped(runs_in(gpus), range));
}

std::string cudnn_in_words(const Facts& facts, std::string_view library) {
    const Cudnn* const cudnn = find_by(facts.cudnns, &Cudnn::library, library);
    if (cudnn && cudnn->version)
        return "cuDNN " + cudnn->version->text;
    return "cuDNN";
}

/// A picture without any point is left out.
std::vector<std::string> sweep_pictures(const Facts& facts) {
    std::vector<std::string> pictures;
    if (facts.rnn_runs.empty())
        return pictures;
    pictures.push_back(sweeps_svg(facts, "Network tests by kind and shape"));
    if (const auto errors = errors_against_limits(facts); !errors.empty())
        pictures.push_back(
            ratios_svg(errors, "Largest error of each test; 1 is its limit", -7, 3, true));
    if (const auto times = times_against_model(facts); !times.empty())
        pictures.push_back(
            ratios_svg(times, "Time of each test; 1 is the modeled time", -2, 4, false));
    return pictures;
}

std::string sweeps_svg(const Facts& facts, const std::string& title) {
    Picture page;
    page.text(title, "font-weight=\"bold\" font-size=\"14\"");
    const std::vector<std::string> shapes = all_shapes(facts);
    for (const Sweep& sweep : sweeps_of(facts))
        draw_sweep(page, sweep, shapes);
    if (!shapes.empty())
        draw_legend(page, facts, shapes);
    return page.finished(title);
}

}  // namespace rnncheck
