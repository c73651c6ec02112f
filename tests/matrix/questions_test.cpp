// The answers that rules rely on: every line of queries.txt, put to the bundled tables.
#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "base/text.hpp"
#include "matrix/matrix.hpp"
#include "matrix/ranges.hpp"
#include "support/bundled_matrix.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"

using namespace rnncheck;
using rnncheck::test::bundled_matrix;
using rnncheck::test::v;

namespace {

using Words = std::vector<std::string>;
using Cells = std::map<std::string, std::string>;

/// Of several rows each column's different values, sorted, with blanks between; "" with "none"
/// where there are none.
template <class R>
Cells cells_of(const std::vector<R>& rows) {
    if (rows.empty())
        return {{"", "none"}};
    std::map<std::string, std::set<std::string>> values;
    for (const R& row : rows) {
        for (const TextMap& cells : {rnncheck::cells_of(row), rnncheck::cells_of<Row>(row)})
            for (const auto& [name, text] : cells)
                values[name].insert(text);
    }
    Cells cells;
    for (const auto& [name, texts] : values)
        cells[name] = join({texts.begin(), texts.end()}, " ");
    return cells;
}

template <class R>
Cells cells_of(const Answer<R>& answer) {
    CHECK(answer.row.has_value() == (answer.coverage == Coverage::known));
    return answer ? cells_of(std::vector{*answer})
                  : Cells{{"", std::string(name_of(answer.coverage))}};
}

template <class R, class Keep>
std::vector<R> kept(std::vector<R> rows, Keep&& keep) {
    std::erase_if(rows, [&](const R& row) { return !keep(row); });
    return rows;
}

/// Framework, release, system and, where given, flavour.
std::vector<FrameworkBuild> builds(const Words& w) {
    return kept(bundled_matrix().framework_builds(w[0]), [&](const FrameworkBuild& row) {
        return row.os == w[2] && covers(row.first, row.last, v(w[1])) &&
               (w.size() < 4 || row.build == w[3]);
    });
}

std::vector<RnnDefect> defects(const Words& w) {
    return bundled_matrix().rnn_defects(
        v(w[0]), w[1] == "any" ? std::nullopt : std::optional(v(w[1])), w[2]);
}

const std::map<std::string, std::function<Cells(const Words&)>> questions = {
    {"cuda", [](const Words& w) { return cells_of(bundled_matrix().driver_for_cuda(v(w[0]))); }},
    {"windows_cuda",
     [](const Words& w) { return cells_of(bundled_matrix().windows_driver_for_cuda(v(w[0]))); }},
    {"driver", [](const Words& w) { return cells_of(bundled_matrix().cuda_of_driver(v(w[0]))); }},
    {"package",
     [](const Words& w) {
         return cells_of(bundled_matrix().forward_compatibility(v(w[0]), v(w[1])));
     }},
    {"capability", [](const Words& w) { return cells_of(bundled_matrix().architecture(v(w[0]))); }},
    {"cudnn",
     [](const Words& w) {
         return cells_of(bundled_matrix().cudnn_build(v(w[0]), std::stoi(w[1])));
     }},
    {"parts_for_rnn",
     [](const Words& w) {
         return cells_of(kept(
             bundled_matrix().cudnn_parts(std::stoi(w[0])),
             std::mem_fn(&CudnnPart::needed_by_rnn)));
     }},
    {"parts_for_version",
     [](const Words& w) {
         return cells_of(kept(
             bundled_matrix().cudnn_parts(std::stoi(w[0])),
             std::mem_fn(&CudnnPart::needed_by_version)));
     }},
    {"status",
     [](const Words& w) {
         return cells_of(bundled_matrix().status(w[0], std::stoi(w[1]), std::stoi(w[2])));
     }},
    {"xid",
     [](const Words& w) {
         return cells_of(kept(
             bundled_matrix().xid(), [&](const Xid& row) { return row.xid == std::stoi(w[0]); }));
     }},
    {"defects", [](const Words& w) { return cells_of(defects(w)); }},
    {"windows_defect",
     [](const Words& w) {
         return cells_of(kept(defects({w[0], w[1], "windows"}), [](const RnnDefect& d) {
             return d.os == "windows";
         }));
     }},
    {"limit",
     [](const Words& w) {
         return cells_of(kept(bundled_matrix().rnn_limits(), [&](const RnnLimit& row) {
             return row.feature == w[1] && v(w[0]) >= row.first &&
                    (!row.last || v(w[0]) <= *row.last);
         }));
     }},
    {"required",
     [](const Words& w) {
         return cells_of(bundled_matrix().requires_support(v(w[0]), v(w[1]), w[2], w[3]));
     }},
    {"build", [](const Words& w) { return cells_of(builds(w)); }},
    {"cuda_builds",
     [](const Words& w) {
         return cells_of(kept(builds(w), [](const auto& row) { return row.cuda.has_value(); }));
     }},
    {"code",
     [](const Words& w) {
         return cells_of(kept(builds({w[0], w[1], w[2], w[3]}), [&](const auto& row) {
             return contains(" " + row.targets + " ", " " + w[4] + " ");
         }));
     }},
    {"keras",
     [](const Words& w) {
         return cells_of(kept(bundled_matrix().keras_backends(), [&](const KerasBackend& row) {
             return row.backend == w[1] && v(w[0]) >= row.first &&
                    (!row.last || within(v(w[0]), *row.last));
         }));
     }},
    {"gpu", [](const Words& w) { return cells_of(bundled_matrix().gpu_product(join(w, " "))); }},
    {"gpus",
     [](const Words& w) { return cells_of(bundled_matrix().gpu_products_named(join(w, " "))); }},
};

/// `wanted` is "column=value", or a word for an answer without a row. The value "*" is any, "9.x"
/// any that begins so.
void check_answer(const Cells& cells, const std::string& wanted) {
    const auto at = wanted.find('=');
    const std::string column = at == std::string::npos ? "" : wanted.substr(0, at);
    const std::string value = at == std::string::npos ? wanted : wanted.substr(at + 1);
    INFO("'" << column << "' is to be '" << value << "'");
    REQUIRE(cells.contains(column));
    if (value.ends_with(".x"))
        CHECK((cells.at(column) + ".").starts_with(value.substr(0, value.size() - 1)));
    else if (value != "*")
        CHECK(cells.at(column) == value);
}

/// At ", " before a column's name: a value may hold a comma.
Words parts_of(const std::string& answer) {
    Words parts;
    for (const std::string& part : split(answer, ',')) {
        if (parts.empty() || contains(part, "="))
            parts.emplace_back(trim(part));
        else
            parts.back() += "," + part;
    }
    return parts;
}

}  // namespace

TEST_CASE("every question of queries.txt has its answer") {
    std::ifstream file(TEST_DIRECTORY "/queries.txt");
    std::size_t requested = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.starts_with('#'))
            continue;
        const auto bar = line.find(" | ");
        REQUIRE(bar != std::string::npos);
        for (const std::string& question : split(line.substr(0, bar), ';')) {
            Words words = split(trim(question), ' ');
            const std::string kind = words.front();
            words.erase(words.begin());
            INFO(question);
            REQUIRE(questions.contains(kind));
            const Cells cells = questions.at(kind)(words);
            for (const std::string& wanted : parts_of(line.substr(bar + 3)))
                check_answer(cells, wanted);
            ++requested;
        }
    }
    CHECK(requested > 200);
}

TEST_CASE("what is no GPU's name finds none") {
    for (const char* written : {"", "\xff\xfe", "GeForce RTX 3090 \xc3\xa9t\xc3\xa9"})
        CHECK(bundled_matrix().gpu_products_named(written).empty());
}

TEST_CASE(
    "every product is found by its own name, and its capability is one that the architectures "
    "know") {
    for (const GpuProduct& row : bundled_matrix().gpu_products()) {
        INFO(row.name);
        const auto named = bundled_matrix().gpu_products_named(row.name);
        CHECK(std::ranges::any_of(
            named, [&](const GpuProduct& found) { return found.number == row.number; }));
        CHECK((bundled_matrix().architecture(row.capability) || row.capability < v("3.0")));
    }
}
