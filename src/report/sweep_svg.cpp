// The recurrent-network cases as a picture.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/sweep.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

constexpr int cell_size = 16, margin = 16, line_height = 15, letter_width = 7;
constexpr std::size_t longest_words = 300;

std::vector<std::string> all_shapes(const Facts& facts) {
    std::vector<std::string> shapes;
    for (const auto& [shape, runs] : grouped(facts.rnn_runs, [](const RnnRun& run) { return shape_of(run.rnn_case); }))
        shapes.push_back(shape);
    return shapes;
}

/// Draws from top to bottom and knows how large the picture became.
class Picture {
  public:
    void text(int x, std::string_view words, const char* style = "") {
        y_ += line_height;
        at(x, y_, words, style);
    }

    void at(int x, int y, std::string_view words, const char* style) {
        body_ << "<text x=\"" << x << "\" y=\"" << y << "\" " << style << ">" << xml(words, longest_words)
              << "</text>\n";
        widest_ = std::max(widest_, x + letter_width * static_cast<int>(std::min(words.size(), longest_words)));
    }

    void square(int x, int y, RunEnd end, std::string_view tip) {
        const RunEndLook& look = look_of(end);
        body_ << "<g><title>" << xml(tip, longest_words) << "</title><rect x=\"" << x << "\" y=\"" << y << "\" width=\""
              << cell_size - 1 << "\" height=\"" << cell_size - 1 << "\" fill=\"" << look.fill << "\"/><text x=\""
              << x + cell_size / 2 << "\" y=\"" << y + 12 << "\" text-anchor=\"middle\" fill=\"" << look.ink << "\">"
              << look.letter << "</text></g>\n";
        widest_ = std::max(widest_, x + cell_size);
    }

    /// A cross where a number is beyond its bound, else a dot.
    void point(int x, int y, bool is_beyond) {
        if (is_beyond)
            body_ << "<path d=\"M" << x - 4 << ' ' << y - 4
                  << "l8 8m-8 0l8 -8\" stroke=\"#B3261E\" stroke-width=\"2\"/>\n";
        else
            body_ << "<circle cx=\"" << x << "\" cy=\"" << y << "\" r=\"3\" fill=\"#0072B2\"/>\n";
    }

    void vertical(int x, int from, int to, const char* color) {
        body_ << "<path d=\"M" << x << ' ' << from << "V" << to << "\" stroke=\"" << color << "\"/>\n";
        widest_ = std::max(widest_, x + margin);
    }

    int y() const { return y_; }
    void down(int by) { y_ += by; }

    std::string finished(std::string_view title) const {
        std::ostringstream out;
        const int width = widest_ + margin, height = y_ + margin;
        out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
            << "\" viewBox=\"0 0 " << width << ' ' << height << "\" role=\"img\" aria-label=\""
            << xml(title, longest_words) << "\" font-family=\"monospace\" font-size=\"11\">\n<rect width=\"" << width
            << "\" height=\"" << height << "\" fill=\"#ffffff\"/>\n"
            << body_.str() << "</svg>\n";
        return out.str();
    }

  private:
    std::ostringstream body_;
    int y_ = margin, widest_ = 0;
};

void draw_sweep(Picture& page, const Sweep& sweep, const std::vector<std::string>& shapes) {
    page.down(line_height);
    page.text(margin,
              gpus_in_words(sweep.gpus) + ", " + std::string(name_of(sweep.dialect)) + " interface, " + sweep.library,
              "font-weight=\"bold\"");
    const auto rows = grouped(sweep.runs, [](const RnnRun& run) { return kind_of(run.rnn_case); });
    std::size_t widest = 0;
    for (const auto& [kind, runs] : rows) widest = std::max(widest, kind.size());
    const int left = margin + letter_width * static_cast<int>(widest + 1);
    page.down(2 * line_height);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const int x = left + cell_size * static_cast<int>(i) + cell_size / 2 + 4;
        const std::string turned =
            "font-size=\"9\" transform=\"rotate(-90 " + std::to_string(x) + ' ' + std::to_string(page.y()) + ")\"";
        page.at(x, page.y(), std::to_string(i + 1), turned.c_str());
    }
    page.down(4);
    for (const auto& [kind, runs] : rows) {
        page.at(margin, page.y() + 12, kind, "");
        for (const auto& [shape, cases] : grouped(runs, [](const RnnRun& run) { return shape_of(run.rnn_case); })) {
            const RunEnd end = worst_of(cases);
            const auto column = std::ranges::find(shapes, shape) - shapes.begin();
            page.square(left + cell_size * static_cast<int>(column), page.y(), end,
                        concat(look_of(end).word, ": ", kind, ", ", shape));
        }
        page.down(cell_size);
    }
}

void draw_legend(Picture& page, const std::vector<std::string>& shapes) {
    page.down(line_height);
    for (std::size_t i = 0; i < names_of(RunEnd{}).size(); ++i) {
        const auto end = static_cast<RunEnd>(i);
        page.square(margin, page.y(), end, look_of(end).word);
        page.at(margin + cell_size + 4, page.y() + 12, look_of(end).word, "");
        page.down(cell_size);
    }
    page.text(margin, "Columns (I input, H hidden, B batch, T steps, L layers, P projection):");
    for (std::size_t i = 0; i < shapes.size(); ++i) page.text(margin, std::to_string(i + 1) + ": " + shapes[i]);
}

/// How a number of a test relates to its bound, by the kind of network.
struct Ratio {
    std::string kind;
    double value;
};

/// A row for each kind, a point for each ratio on a scale of powers of ten, and a line at 1, which may be a limit.
std::string ratios_svg(const std::vector<Ratio>& ratios, const std::string& title, int lowest, int highest,
                       bool one_is_limit) {
    constexpr int power_width = 60;
    std::map<std::string, std::set<std::pair<int, bool>>> rows;  // what would lie on another point is drawn once
    std::size_t widest = 0;
    for (const Ratio& ratio : ratios) {
        const double power = std::clamp<double>(std::log10(ratio.value), lowest, highest);
        rows[ratio.kind].insert(
            {static_cast<int>((power - lowest) * power_width), one_is_limit && !(ratio.value <= 1)});
        widest = std::max(widest, ratio.kind.size());
    }
    Picture page;
    page.text(margin, title, "font-weight=\"bold\" font-size=\"14\"");
    page.down(line_height / 2);
    const int left = margin + letter_width * static_cast<int>(widest + 2), top = page.y() + line_height;
    const int bottom = top + line_height * static_cast<int>(rows.size() + 1);
    for (int power = lowest; power <= highest; ++power) {
        const int x = left + (power - lowest) * power_width;
        page.vertical(x, top, bottom, power == 0 ? "#000000" : "#DDDDDD");
        page.at(x - 10, top - 3, power == 0 ? "1" : "1e" + std::to_string(power), "");
    }
    page.down(line_height);
    for (const auto& [kind, points] : rows) {
        page.text(margin, kind);
        for (const auto& [x, is_beyond] : points) page.point(left + x, page.y() - 4, is_beyond);
    }
    page.down(line_height);
    return page.finished(title);
}

std::vector<Ratio> errors_against_limits(const Facts& facts) {
    std::vector<Ratio> ratios;
    for (const RnnRun& run : facts.rnn_runs)
        if (run.largest_error && run.limit && *run.limit > 0)
            ratios.push_back({kind_of(run.rnn_case), *run.largest_error / *run.limit});
    return ratios;
}

std::vector<Ratio> times_against_model(const Facts& facts) {
    std::vector<Ratio> ratios;
    for (const Gpu& gpu : facts.cuda_devices)
        if (const auto peak = peak_of(gpu))
            for (const RnnRun& run : facts.rnn_runs)
                if (run.gpu == gpu.index && run.repeat_ms && run.end == RunEnd::ok)
                    ratios.push_back({kind_of(run.rnn_case), *run.repeat_ms / model_ms(run.rnn_case, *peak)});
    return ratios;
}

}  // namespace

std::vector<std::string> sweep_pictures(const Facts& facts) {
    std::vector<std::string> pictures;
    if (facts.rnn_runs.empty()) return pictures;
    pictures.push_back(sweeps_svg(facts, "Network tests by kind and shape"));
    if (const auto errors = errors_against_limits(facts); !errors.empty())
        pictures.push_back(ratios_svg(errors, "Largest error of each test; 1 is its limit", -7, 3, true));
    if (const auto times = times_against_model(facts); !times.empty())
        pictures.push_back(ratios_svg(times, "Time of each test; 1 is the modeled time", -2, 4, false));
    return pictures;
}

std::string sweeps_svg(const Facts& facts, const std::string& title) {
    Picture page;
    page.text(margin, title, "font-weight=\"bold\" font-size=\"14\"");
    const std::vector<std::string> shapes = all_shapes(facts);
    for (const Sweep& sweep : sweeps_of(facts)) draw_sweep(page, sweep, shapes);
    if (!shapes.empty()) draw_legend(page, shapes);
    return page.finished(title);
}

}  // namespace rnncheck
