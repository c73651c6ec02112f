// What was found, layer by layer: one line each, with a mark.
#include <algorithm>
#include <map>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "facts/queries.hpp"
#include "report/sweep.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

using Words = std::vector<std::string>;
using Rows = std::vector<ChecklistRow>;

/// "frameworks" is no layer: what the rules of CUDA say of a framework is shown beside the
/// framework.
bool is_about_framework(const Finding& finding) {
    return finding.part.kind == stack::PartKind::framework;
}

/// How a layer is, by what the rules found in it.
struct State {
    Mark mark;
    std::string because;  ///< "see driver_missing"
};

State state_of(const Report& report, Layer layer, bool works, bool of_frameworks = false) {
    Severity worst = Severity::note;
    Words rules;
    const auto add_rule = [&](const std::string& rule) {
        if (rules.size() < 3)
            add_once(rules, rule);
    };
    for (const Finding& finding : report.findings) {
        const bool here =
            is_about_framework(finding) ? of_frameworks : !of_frameworks && finding.layer == layer;
        if (!here || finding.severity == Severity::note)
            continue;
        worst = std::min(worst, finding.severity);
        add_rule(shown(finding.rule));
    }
    if (worst == Severity::note && !of_frameworks)
        for (const RuleVerdict& verdict : report.verdicts)
            if (verdict.outcome == Outcome::undecided && verdict.layer == layer)
                add_rule(shown(verdict.rule));
    const std::string list = join(rules, ", ");
    if (worst == Severity::error)
        return {Mark::failed, "see " + list};
    if (worst == Severity::warning)
        return {Mark::warning, "see " + list};
    if (!rules.empty())
        return {Mark::undetermined, "undetermined: " + list};
    return {works ? Mark::passed : Mark::not_run, ""};
}

std::string system_line(const Host& host) {
    return listed({known("", host.os), known("kernel ", host.kernel), known("", host.libc),
                   known("", host.machine),
                   host.wsl.value_or(false) ? "under the Windows Subsystem for Linux" : "",
                   known("in a container (", host.container, ")")});
}

/// The files of a library that were not loaded.
Rows files_not_queried(const Facts& facts, LibraryKind kind) {
    constexpr std::size_t most = 3;
    Rows found;
    for (const Library& library : facts.libraries)
        if (library.kind == kind && !library.stub && library.path != facts.driver.library &&
            found.size() < most)
            found.emplace_back(known("", library.version_in_name, ", ") + "not queried",
                               shown(library.path));
    return found;
}

/// "no cuDNN was found".
std::string none_found(const Facts& facts, const std::string& what) {
    return what +
           (libraries_listed(facts) ? " was found" : " was found, but the search is incomplete");
}

/// The files of a library that was not loaded, or that there is none.
Rows files_of(const Facts& facts, LibraryKind kind, const std::string& what) {
    Rows found = files_not_queried(facts, kind);
    if (found.empty())
        found.emplace_back(none_found(facts, what));
    return found;
}

/// What programs that open libcuda.so.1 get.
ChecklistRow loaded_driver(const Facts& facts, bool has_files) {
    constexpr std::int64_t stub_library = 34;  // CUDA_ERROR_STUB_LIBRARY
    const Driver& driver = facts.driver;
    const std::string name = on_windows(facts) ? "nvcuda.dll" : "libcuda.so.1";
    if (!driver.library)
        return {has_files ? "no driver library is loaded"
                          : none_found(facts, "no driver library (" + name + ")")};
    if (driver.init && driver.init->code == stub_library)
        return {"the loaded library is a stub of the CUDA Toolkit, not the driver",
                shown(*driver.library)};
    if (on_windows(facts))
        return {"of unknown version", shown(*driver.library)};
    return {"the loaded library has no version in its name", shown(*driver.library)};
}

/// Without a version of the library: what is loaded, what the kernel has, and the files that are
/// not loaded.
Rows driver_rows_without_version(const Facts& facts) {
    const Driver& driver = facts.driver;
    Rows files = files_not_queried(facts, LibraryKind::cuda);
    Rows rows = {loaded_driver(facts, !files.empty())};
    const std::string of_kernel = listed(
        {known("kernel module ", driver.kernel_version),
         !driver.kernel_version && driver.module_loaded.value_or(false) ? "kernel module loaded"
                                                                        : "",
         driver.module_loaded == false ? "no kernel module is loaded" : "",
         known("supports CUDA up to ", driver.cuda_version),
         driver.init && !driver.init->ok() ? shown(in_words(*driver.init)) : ""});
    if (!of_kernel.empty() && rows.front().place.empty())
        rows.front().text += ", " + of_kernel;
    else if (!of_kernel.empty())
        rows.emplace_back(of_kernel);
    append(rows, files);
    return rows;
}

Rows driver_rows(const Facts& facts) {
    if (!facts.driver.library_version)
        return driver_rows_without_version(facts);
    const Driver& driver = facts.driver;
    const auto &library = driver.library_version, &kernel = driver.kernel_version;
    const bool differs = kernel && kernel->text != library->text;
    const bool module_is_loaded = driver.module_loaded.value_or(false);
    const std::string of_module =
        module_is_loaded ? "kernel module loaded" : "no kernel module is loaded";
    return {listed({known(differs ? "library " : "", library),
                    differs ? known("kernel module ", kernel) : "",
                    kernel || !driver.module_loaded ? "" : of_module,
                    known("supports CUDA up to ", driver.cuda_version),
                    driver.init && !driver.init->ok() ? shown(in_words(*driver.init)) : ""})};
}

std::string gibibytes(std::int64_t mebibytes) {
    return short_number(static_cast<double>(mebibytes * 10 / 1024) / 10);
}

std::string gpu_words(const Facts& facts, const Gpu& gpu, bool each) {
    std::string words = shown(gpu.name.value_or("GPU of unknown name"));
    words += known(" (compute capability ", gpu.compute_capability, ")");
    if (!gpu.memory_total_mib)
        return words;
    const Board* board = board_of(facts, gpu);
    const std::string total = gibibytes(*gpu.memory_total_mib) + " GiB";
    if (!board || !board->memory_free_mib)
        return words + ", " + total;
    return words + ", " + gibibytes(*board->memory_free_mib) + " of " + total + " free" +
           (each ? " on each" : "");
}

/// Equal GPUs share a line: "8 x NVIDIA H100 80GB".
Rows gpu_lines(const Facts& facts) {
    const auto groups =
        grouped(facts.cuda_devices, [&](const Gpu& gpu) { return gpu_words(facts, gpu, false); });
    Rows rows;
    for (const auto& [words, gpus] : groups) {
        const std::string which =
            groups.size() == 1 ? "" : gpus_in_words(mapped(gpus, &Gpu::index)) + ": ";
        rows.push_back(which + (gpus.size() == 1 ? words
                                                 : std::to_string(gpus.size()) + " x " +
                                                       gpu_words(facts, *gpus.front(), true)));
    }
    return rows;
}

Rows no_gpu_lines(const Facts& facts) {
    Words seen;
    for (const Board& board : facts.nvml_devices)
        seen.push_back(concat("NVML ", board.index, known(" ", board.name)));
    if (seen.empty())
        for (const PciGpu& device : facts.host.pci_gpus)
            seen.push_back(shown(device.address) + " (device " + shown(device.device_id) +
                           ", kernel driver " + shown(device.kernel_driver.value_or("none")) + ")");
    const bool queried = stage_was_run(facts, Stage::ask);
    if (!seen.empty())
        return {ChecklistRow(
            (queried ? "none that CUDA can use; present: " : "not queried; present: ") +
            join(seen, ", "))};
    const bool was_listed = facts.host.pci_listed.value_or(false);
    return {ChecklistRow(was_listed ? "none: no NVIDIA device is on the PCI bus" : "none found")};
}

Rows cuda_lines(const Facts& facts) {
    return mapped(facts.runtimes, [](const Runtime& runtime) {
        return ChecklistRow(runtime.version ? shown(runtime.version->text) : "version unknown",
                            shown(runtime.library));
    });
}

Rows cudnn_lines(const Facts& facts, bool given) {
    Rows rows;
    for (const Cudnn& cudnn : facts.cudnns)
        rows.emplace_back(concat(cudnn.version ? shown(cudnn.version->text) : "version unknown",
                                 known(" (for CUDA ", cudnn.built_for_cuda, ")"),
                                 given               ? ""
                                 : !cudnn.rnn_usable ? ", RNN API not tested"
                                 : *cudnn.rnn_usable ? ", RNN API works"
                                                     : ", RNN API does NOT work"),
                          shown(cudnn.library));
    return rows;
}

ChecklistRow environment_row(const PythonEnvironment& environment, const std::string& before) {
    const bool has_path = !environment.path.empty();
    return {before + "Python " +
                (environment.version ? shown(environment.version->text) : "of unknown version"),
            has_path ? shown(environment.path) + " (" + shown(environment.found_by) + ")" : ""};
}

std::string named(const Framework& framework) {
    return shown(framework.name) + known(" ", framework.version) +
           known(" (", framework.build, ")");
}

/// Its cuDNN was queried, and its RNN API cannot be used.
bool is_unusable(const FrameworkLibrary& library, const Facts& facts) {
    const Cudnn* const queried =
        library.path ? find_by(facts.cudnns, &Cudnn::library, *library.path) : nullptr;
    return queried && !queried->rnn_usable.value_or(true);
}

/// The path only where no line of cuDNN has it.
ChecklistRow loaded_cudnn(const Framework& framework, const Facts& facts) {
    if (framework.uses_cudnn == false)
        return {"does not use cuDNN"};
    for (const FrameworkLibrary& library : framework.libraries) {
        if (!library.soname.starts_with("libcudnn"))
            continue;
        if (!library.path)
            return {"finds no " + shown(library.soname)};
        const bool is_listed = find_by(facts.cudnns, &Cudnn::library, *library.path);
        const std::string how = is_unusable(library, facts) ? ", whose RNN API does NOT work" : "";
        return {"loads cuDNN" + known(" ", library.version) +
                    known(" found by ", library.found_by) + how,
                is_listed && facts.cudnns.size() == 1 ? "" : shown(*library.path)};
    }
    return {""};
}

ChecklistRow framework_row(const Framework& framework, const Facts& facts) {
    Words built{known("CUDA ", framework.cuda), known("cuDNN ", framework.cudnn)};
    std::erase(built, "");
    ChecklistRow cudnn = loaded_cudnn(framework, facts);
    return {listed({named(framework), framework.asked ? "named with --for" : "",
                    framework.uses_cuda == false ? "without CUDA" : "",
                    built.empty() ? "" : "built for " + join_with_and(built), cudnn.text}),
            cudnn.place};
}

/// "both call /a/libcudnn.so.9", or what each calls.
std::string calls_in_words(const ImportOrder& order) {
    const auto file = [](const std::optional<std::string>& path) {
        return path ? shown(*path) : "no cuDNN";
    };
    if (order.first_cudnn == order.second_cudnn)
        return "both call " + file(order.first_cudnn);
    return shown(order.first) + " calls " + file(order.first_cudnn) + ", " + shown(order.second) +
           " calls " + file(order.second_cudnn);
}

/// What the framework calls in a process of its own.
std::optional<std::string> cudnn_alone(const Facts& facts, const std::string& environment,
                                       const std::string& name) {
    const Framework* const framework =
        find_by(facts.frameworks, &Framework::key, name + " " + environment);
    if (!framework)
        return std::nullopt;
    const auto opens_cudnn = [](const FrameworkLibrary& library) {
        return library.soname.starts_with("libcudnn");
    };
    const FrameworkLibrary* const cudnn = find_where(framework->libraries, opens_cudnn);
    return cudnn ? cudnn->path : std::nullopt;
}

/// Frameworks that share a process share one cuDNN: the first that is opened. What matters are the
/// orders of import in which one of them gets another cuDNN than alone.
Words import_order_lines(const Facts& facts) {
    Words rows;
    for (const ImportOrder& order : facts.import_orders)
        if (order.first_cudnn != cudnn_alone(facts, order.environment, order.first) ||
            order.second_cudnn != cudnn_alone(facts, order.environment, order.second))
            rows.push_back("in one process, import " + shown(order.first) + ", then " +
                           shown(order.second) + ": " + calls_in_words(order));
    if (rows.empty() && !facts.import_orders.empty())
        rows.push_back(
            "in one process: each loads the same cuDNN as alone, in every order of import");
    return rows;
}

/// The framework can open its cuDNN, and that one's RNN API was not found unusable.
bool finds_cudnn(const Framework& framework, const Facts& facts) {
    for (const FrameworkLibrary& library : framework.libraries) {
        if (!library.soname.starts_with("libcudnn") || !library.path)
            continue;
        const Cudnn* const queried = find_by(facts.cudnns, &Cudnn::library, *library.path);
        return !queried || queried->rnn_usable.value_or(true);
    }
    return false;
}

/// A framework of the environment that is evaluated loads a cuDNN that cannot be used.
bool some_cudnn_is_unusable(const Facts& facts) {
    return std::ranges::any_of(facts.frameworks, [&](const Framework& framework) {
        const FrameworkLibrary* const cudnn = find_where(
            framework.libraries,
            [](const FrameworkLibrary& library) { return library.soname.starts_with("libcudnn"); });
        return framework.uses_cudnn != false && cudnn && is_unusable(*cudnn, facts);
    });
}

/// What the mark of the line may claim: some framework that is evaluated has its cuDNN.
bool some_framework_finds_cudnn(const Facts& facts) {
    return std::ranges::any_of(facts.frameworks, [&](const Framework& framework) {
        return finds_cudnn(framework, facts);
    });
}

/// What a person may have meant instead: "not examined: /home/ada/venv (VIRTUAL_ENV), the python on
/// PATH is another one".
Words passed_over_lines(const Facts& facts) {
    Words rows;
    for (const PythonEnvironment& python : facts.pythons)
        if (python.passed_over)
            rows.push_back("not examined: " + shown(python.path) + " (" + shown(python.found_by) +
                           "), " + shown(*python.passed_over));
    return rows;
}

/// In other environments, and the command that checks one of them.
Words elsewhere_lines(const Facts& facts, const PythonEnvironment* active) {
    Words rows;
    std::string first;
    for (const Framework& framework : facts.frameworks) {
        if (framework.asked || (active && framework.environment == active->path))
            continue;
        if (first.empty())
            first = framework.environment;
        rows.push_back("elsewhere: " + named(framework) + " in " + shown(framework.environment));
    }
    if (!first.empty())
        rows.push_back("to check " + std::string(rows.size() == 1 ? "it" : "the first") +
                       ": rnncheck doctor --python " + shown(shell_quoted(first)));
    return rows;
}

bool python_was_searched(const Facts& facts) {
    return find_by(facts.probe_runs, &ProbeRun::probe, "python_packages");
}

Rows framework_rows(const Facts& facts, bool given) {
    Rows rows;
    const auto candidates = possibly_active(facts);
    const PythonEnvironment* const active = candidates.empty() ? nullptr : candidates.front();
    const bool some = active && find_by(facts.frameworks, &Framework::environment, active->path);
    if (active)
        rows.push_back(environment_row(*active, some || given ? "" : "none in "));
    if (!active && given)
        for (const PythonEnvironment& python : facts.pythons)
            rows.push_back(environment_row(python, ""));
    if (!active && !given && python_was_searched(facts))
        rows.emplace_back("none: no Python was found on PATH");
    for (const Framework& framework : facts.frameworks)
        if (framework.asked || given || (active && framework.environment == active->path))
            rows.push_back(framework_row(framework, facts));
    Words others = import_order_lines(facts);
    append(others, passed_over_lines(facts));
    if (!given)
        append(others, elsewhere_lines(facts, active));
    for (const std::string& text : others)
        rows.emplace_back(text);
    if (active)
        for (const std::string& text : active->left_out)
            rows.emplace_back("not read: " + shown(text));
    return rows;
}

/// "LSTM in fp32, fp16; GRU in fp32".
std::string networks_computed(const Facts& facts) {
    std::map<Cell, std::set<Dtype>> types;
    for (const RnnRun& run : facts.rnn_runs)
        if (run.end == RunEnd::ok)
            types[run.rnn_case.cell].insert(run.rnn_case.dtype);
    Words cells;
    for (const auto& [cell, dtypes] : types) {
        const Words names = mapped(dtypes, [](Dtype dtype) { return std::string(name_of(dtype)); });
        cells.push_back(network_name(cell) + " in " + join(names, ", "));
    }
    return join(cells, "; ");
}

std::string why_not_run(const Report& report) {
    if (!stage_was_run(report.facts, Stage::run))
        return "not run, as requested";
    const Finding* const error = find_by(report.findings, &Finding::severity, Severity::error);
    const bool has_cause = error && error->layer <= Layer::gpu;
    if (!has_cause && report.facts.cuda_devices.empty() &&
        report.facts.host.pci_listed.value_or(false) && report.facts.host.pci_gpus.empty())
        return "not run: no NVIDIA device is on the PCI bus";
    if (!error || error->layer == Layer::rnn)
        return "not run";
    return "not run: fix " + shown(error->rule) + " first";
}

std::string networks_line(const Report& report) {
    if (report.facts.rnn_runs.empty())
        return why_not_run(report);
    if (const Finding* const cause = cause_below_all_cases(report))
        return pluralized(report.facts.rnn_runs.size(), "case", "cases") +
               ": none could be computed: fix " + shown(cause->rule) + " first";
    Cases cases;
    std::set<int> failed_on, not_run_on;
    for (const RnnRun& run : report.facts.rnn_runs) {
        cases.push_back(&run);
        if (run.end == RunEnd::incorrect || run.end == RunEnd::failed)
            failed_on.insert(run.gpu);
        if (run.end == RunEnd::skipped)
            not_run_on.insert(run.gpu);
    }
    std::string line =
        pluralized(cases.size(), "case", "cases") + ": " + counts_of(report.facts, cases);
    for (const auto& [what, gpus] :
         {std::pair("; failures on ", &failed_on), {"; some not run on ", &not_run_on}})
        if (!gpus->empty() && report.facts.cuda_devices.size() > 1)
            line += what + gpus_in_words({gpus->begin(), gpus->end()});
    const std::string types = networks_computed(report.facts);
    return line + (types.empty() ? "" : "; " + types);
}

/// What ran out of memory was requested, too.
State networks_state(const Report& report) {
    const auto count = [&](RunEnd end) {
        return std::ranges::count(report.facts.rnn_runs, end, &RnnRun::end);
    };
    State state = state_of(report, Layer::rnn, count(RunEnd::ok) > 0);
    if (state.mark == Mark::passed && count(RunEnd::out_of_memory) > 0)
        state.mark = Mark::warning;
    return state;
}

/// A framework does not work with a cuDNN that does not, whatever finding has it.
State frameworks_state(const Report& report) {
    const bool works = report.about == About::versions || some_framework_finds_cudnn(report.facts);
    State state = state_of(report, Layer::runtime, works, true);
    const bool has_finding = state.mark == Mark::failed || state.mark == Mark::warning;
    if (!has_finding && some_cudnn_is_unusable(report.facts))
        state.mark = Mark::failed;
    return state;
}

/// Why the mark is so is behind the only row, or has a row of its own.
void add_rows(std::vector<ChecklistLine>& checklist, std::string_view word, const State& state,
              Rows rows) {
    if (rows.empty())
        return;
    const bool is_long = rows.size() > 1 || !rows.front().place.empty();
    if (!state.because.empty() && is_long)
        rows.emplace_back(state.because);
    if (!state.because.empty() && !is_long)
        rows.front().text += " (" + state.because + ')';
    checklist.push_back({std::string(word), state.mark, std::move(rows)});
}

void add_log(std::vector<ChecklistLine>& checklist, const Log& log) {
    const std::string row = concat(
        pluralized(log.lines, "line", "lines"), " of ", shown(join_with_and(log.files)), ", ",
        log.first_error_line ? concat("first error in line ", *log.first_error_line) : "no error");
    add_rows(checklist, "Log", {log.first_error_line ? Mark::warning : Mark::passed, ""}, {row});
}

std::string given_network(const Network& network) {
    const std::string masked = network.masked ? *network.masked ? "masked" : "not masked" : "";
    return listed({network.dtype ? concat(*network.dtype) : "", masked});
}

/// To a person, "~" is the home directory, for which the facts have another word.
void write_own_home(std::string& text, const std::string& in_facts) {
    if (in_facts.empty())
        return;
    const auto is_in_word = [&](std::size_t at) {
        return at < text.size() && is_letter_or_digit(text[at]);
    };
    for (auto at = text.find(in_facts); at != std::string::npos; at = text.find(in_facts, at + 1))
        if (!is_in_word(at - 1) && !is_in_word(at + in_facts.size()))
            text.replace(at, in_facts.size(), "~");
}

}  // namespace

const Finding* cause_below_all_cases(const Report& report) {
    const std::vector<RnnRun>& runs = report.facts.rnn_runs;
    const auto accounts_for_all = [&](const Finding& finding) {
        const auto is_explained = [&](const RnnRun& run) {
            return includes(finding.explains, place_of(report.facts, run));
        };
        return finding.severity == Severity::error && finding.layer < Layer::gpu &&
               std::ranges::all_of(runs, is_explained);
    };
    if (runs.empty() || find_by(runs, &RnnRun::end, RunEnd::ok))
        return nullptr;
    return find_where(report.findings, accounts_for_all);
}

std::vector<ChecklistLine> checklist_of(const Report& report) {
    std::vector<ChecklistLine> checklist;
    const Facts& facts = report.facts;
    const bool given = report.about == About::versions;
    const auto state = [&](Layer layer, bool answered) {
        const auto passed = [&](const RuleVerdict& v) {
            return v.layer == layer && v.outcome == Outcome::pass;
        };
        return state_of(report, layer,
                        given ? std::ranges::any_of(report.verdicts, passed) : answered);
    };
    /// What was not given has no line.
    const auto add_layer = [&](std::string_view word, Layer layer, bool answered, const Rows& rows,
                               const Rows& otherwise) {
        add_rows(checklist, word, state(layer, answered),
                 rows.empty() && !given ? otherwise : rows);
    };
    const std::string system = system_line(facts.host);
    add_layer("System", Layer::host, !system.empty(), system.empty() ? Rows{} : Rows{system},
              {std::string("unknown")});
    add_layer("Driver", Layer::driver, facts.driver.init && facts.driver.init->ok(),
              given && !facts.driver.library_version ? Rows{} : driver_rows(facts), {});
    add_layer("GPU", Layer::gpu, !facts.cuda_devices.empty(), gpu_lines(facts),
              no_gpu_lines(facts));
    add_layer("CUDA", Layer::runtime,
              std::ranges::any_of(facts.runtimes,
                                  [](const Runtime& runtime) { return !runtime.failure; }),
              cuda_lines(facts),
              files_of(facts, LibraryKind::cudart,
                       on_windows(facts) ? "no CUDA runtime (cudart64_*.dll)"
                                         : "no CUDA runtime (libcudart)"));
    add_layer(
        "cuDNN", Layer::cudnn,
        std::ranges::any_of(facts.cudnns,
                            [](const Cudnn& cudnn) { return cudnn.rnn_usable.value_or(false); }),
        cudnn_lines(facts, given), files_of(facts, LibraryKind::cudnn, "no cuDNN"));
    if (!given)
        add_rows(checklist, "Networks", networks_state(report), {networks_line(report)});
    if (facts.network)
        add_layer("Networks", Layer::rnn, false, {given_network(*facts.network)}, {});
    add_rows(checklist, "Frameworks", frameworks_state(report), framework_rows(facts, given));
    if (facts.log)
        add_log(checklist, *facts.log);
    for (const std::string& restriction : facts.tool.restrictions)
        add_rows(checklist, "Limits", {Mark::warning, ""},
                 {ChecklistRow("rnncheck was restricted here: " + shown(restriction))});
    for (ChecklistLine& line : checklist)
        for (ChecklistRow& row : line.rows) {
            write_own_home(row.text, report.own_home);
            write_own_home(row.place, report.own_home);
        }
    return checklist;
}

void write_checklist(Page& page, const std::vector<ChecklistLine>& checklist) {
    for (const ChecklistLine& line : checklist) {
        std::string begin = " " + page.mark(line.mark) + ' ' + padded(line.word, 11);
        for (const ChecklistRow& row : line.rows) {
            page.wrap(begin, row.whole());
            begin = std::string(columns_of(begin), ' ');
        }
    }
}

}  // namespace rnncheck
