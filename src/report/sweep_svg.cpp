#include "report/sweep_svg.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "report/sweep_grid.hpp"

namespace rnncheck {

namespace {

constexpr int cell_size = 16, margin = 16, line_height = 15, letter_width = 7;

/// Text from anywhere as the content of an element or attribute.
std::string xml(std::string_view text, std::size_t most = 300) {
    std::string safe;
    for (const char letter : escaped(text, most)) switch (letter) {
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '&':
                safe += "&amp;";
                break;
            case '"':
                safe += "&quot;";
                break;
            case '\'':
                safe += "&#39;";
                break;
            default:
                safe += letter;
        }
    return safe;
}

struct Look {
    char letter;
    const char *fill, *ink, *word;
};

/// Okabe and Ito's palette, which colour-blind people can tell apart ("Color Universal Design", 2008).
Look look_of(RunEnd end) {
    switch (end) {
        case RunEnd::ok:
            return {'.', "#009E73", "#ffffff", "right"};
        case RunEnd::not_supported:
            return {'-', "#DDDDDD", "#444444", "not offered"};
        case RunEnd::rejected:
            return {'r', "#E69F00", "#000000", "refused"};
        case RunEnd::out_of_memory:
            return {'m', "#56B4E9", "#000000", "out of memory"};
        case RunEnd::failed:
            return {'X', "#000000", "#ffffff", "failed"};
        case RunEnd::incorrect:
            return {'W', "#D55E00", "#ffffff", "wrong"};
        case RunEnd::skipped:
            break;
    }
    return {'s', "#F0E442", "#000000", "skipped"};
}

std::vector<std::string> all_shapes(const Facts& facts) {
    std::vector<std::string> shapes;
    std::set<std::string> seen;
    for (const RnnRun& run : facts.rnn_runs)
        if (std::string shape = shape_of(run.rnn_case); seen.insert(shape).second) shapes.push_back(std::move(shape));
    return shapes;
}

/// Draws from top to bottom and knows how large the picture became.
class Page {
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
        const Look look = look_of(end);
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

void draw_sweep(Page& page, const Sweep& sweep, const std::vector<std::string>& shapes) {
    page.down(line_height);
    page.text(margin, gpus_of(sweep) + ", " + std::string(name_of(sweep.dialect)) + " interface, " + sweep.library,
              "font-weight=\"bold\"");
    const std::vector<GridRow> rows = grid_of(sweep, shapes);
    std::size_t widest = 0;
    for (const GridRow& row : rows) widest = std::max(widest, row.kind.size());
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
        page.at(margin, page.y() + 12, row.kind, "");
        for (std::size_t i = 0; i < shapes.size(); ++i)
            if (row.ends[i])
                page.square(left + cell_size * static_cast<int>(i), page.y(), *row.ends[i],
                            std::string(look_of(*row.ends[i]).word) + ": " + row.kind + ", " + shapes[i]);
        page.down(cell_size);
    }
}

void draw_legend(Page& page, const std::vector<std::string>& shapes) {
    page.down(line_height);
    for (const RunEnd end : {RunEnd::ok, RunEnd::not_supported, RunEnd::rejected, RunEnd::out_of_memory, RunEnd::failed,
                             RunEnd::incorrect, RunEnd::skipped}) {
        page.square(margin, page.y(), end, look_of(end).word);
        page.at(margin + cell_size + 4, page.y() + 12, look_of(end).word, "");
        page.down(cell_size);
    }
    page.text(margin, "Columns (I input, H hidden, B batch, T steps, L layers, P projection):");
    for (std::size_t i = 0; i < shapes.size(); ++i) page.text(margin, std::to_string(i + 1) + ": " + shapes[i]);
}

}  // namespace

std::string sweeps_svg(const Facts& facts, const std::string& title) {
    Page page;
    page.text(margin, title, "font-weight=\"bold\" font-size=\"14\"");
    const std::vector<std::string> shapes = all_shapes(facts);
    for (const Sweep& sweep : sweeps_of(facts)) draw_sweep(page, sweep, shapes);
    if (!shapes.empty()) draw_legend(page, shapes);
    return page.finished();
}

}  // namespace rnncheck
