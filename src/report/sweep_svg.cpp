// The recurrent-network cases as a picture.
#include <algorithm>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "report/sweep.hpp"

namespace rnncheck {

namespace {

constexpr int cell_size = 16, margin = 16, line_height = 15, letter_width = 7;

/// Text from anywhere as the content of an element or attribute.
std::string xml(std::string_view text, std::size_t most = 300) {
    constexpr std::pair<char, std::string_view> entities[] = {
        {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    std::string safe;
    for (const char letter : escaped(text, most)) {
        const auto entity = std::ranges::find(entities, letter, [](const auto& known) { return known.first; });
        safe += entity == std::end(entities) ? std::string_view(&letter, 1) : entity->second;
    }
    return safe;
}

struct SquareLook {
    char letter;
    const char *fill, *ink;
};

/// Okabe and Ito's palette, which colour-blind people can tell apart ("Color Universal Design", 2008).
constexpr SquareLook square_looks[] = {
    {'.', "#009E73", "#ffffff"}, {'-', "#DDDDDD", "#444444"}, {'r', "#E69F00", "#000000"}, {'m', "#56B4E9", "#000000"},
    {'X', "#000000", "#ffffff"}, {'W', "#D55E00", "#ffffff"}, {'s', "#F0E442", "#000000"}};
static_assert(std::size(square_looks) == static_cast<std::size_t>(RunEnd::skipped) + 1);

std::vector<std::string> all_shapes(const Facts& facts) {
    std::vector<std::string> shapes;
    std::set<std::string> seen;
    for (const RnnRun& run : facts.rnn_runs)
        if (std::string shape = shape_of(run.rnn_case); seen.insert(shape).second) shapes.push_back(std::move(shape));
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
        body_ << "<text x=\"" << x << "\" y=\"" << y << "\" " << style << ">" << xml(words) << "</text>\n";
        widest_ = std::max(widest_, x + letter_width * static_cast<int>(std::min<std::size_t>(words.size(), 300)));
    }

    void square(int x, int y, RunEnd end, std::string_view tip) {
        const SquareLook& look = square_looks[static_cast<std::size_t>(end)];
        body_ << "<g><title>" << xml(tip) << "</title><rect x=\"" << x << "\" y=\"" << y << "\" width=\""
              << cell_size - 1 << "\" height=\"" << cell_size - 1 << "\" fill=\"" << look.fill << "\"/><text x=\""
              << x + cell_size / 2 << "\" y=\"" << y + 12 << "\" text-anchor=\"middle\" fill=\"" << look.ink << "\">"
              << look.letter << "</text></g>\n";
        widest_ = std::max(widest_, x + cell_size);
    }

    int y() const { return y_; }
    void down(int by) { y_ += by; }

    std::string finished() const {
        std::ostringstream out;
        const int width = widest_ + margin, height = y_ + margin;
        out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
            << "\" viewBox=\"0 0 " << width << ' ' << height
            << "\" font-family=\"monospace\" font-size=\"11\">\n<rect width=\"" << width << "\" height=\"" << height
            << "\" fill=\"#ffffff\"/>\n"
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
    const std::vector<GridRow> rows = grid_of(sweep, shapes.size(), kind_of, [&](const RnnCase& rnn_case) {
        return static_cast<std::size_t>(std::ranges::find(shapes, shape_of(rnn_case)) - shapes.begin());
    });
    std::size_t widest = 0;
    for (const GridRow& row : rows) widest = std::max(widest, row.name.size());
    const int left = margin + letter_width * static_cast<int>(widest + 1);
    page.down(2 * line_height);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const int x = left + cell_size * static_cast<int>(i) + cell_size / 2 + 4;
        const std::string turned =
            "font-size=\"9\" transform=\"rotate(-90 " + std::to_string(x) + ' ' + std::to_string(page.y()) + ")\"";
        page.at(x, page.y(), std::to_string(i + 1), turned.c_str());
    }
    page.down(4);
    for (const GridRow& row : rows) {
        page.at(margin, page.y() + 12, row.name, "");
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            if (row.cells[i].empty()) continue;
            const RunEnd end = worst_of(row.cells[i]);
            page.square(left + cell_size * static_cast<int>(i), page.y(), end,
                        std::string(word_of(end)) + ": " + row.name + ", " + shapes[i]);
        }
        page.down(cell_size);
    }
}

void draw_legend(Picture& page, const std::vector<std::string>& shapes) {
    page.down(line_height);
    for (std::size_t i = 0; i < std::size(square_looks); ++i) {
        const auto end = static_cast<RunEnd>(i);
        page.square(margin, page.y(), end, word_of(end));
        page.at(margin + cell_size + 4, page.y() + 12, word_of(end), "");
        page.down(cell_size);
    }
    page.text(margin, "Columns (I input, H hidden, B batch, T steps, L layers, P projection):");
    for (std::size_t i = 0; i < shapes.size(); ++i) page.text(margin, std::to_string(i + 1) + ": " + shapes[i]);
}

}  // namespace

std::string sweeps_svg(const Facts& facts, const std::string& title) {
    Picture page;
    page.text(margin, title, "font-weight=\"bold\" font-size=\"14\"");
    const std::vector<std::string> shapes = all_shapes(facts);
    for (const Sweep& sweep : sweeps_of(facts)) draw_sweep(page, sweep, shapes);
    if (!shapes.empty()) draw_legend(page, shapes);
    return page.finished();
}

}  // namespace rnncheck
