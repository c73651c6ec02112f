// TEMPORARY
#include <cstdio>
#include <cstring>
#include <iostream>
#include "survey.hpp"
#include "judge.hpp"
#include "report/format.hpp"
int main(int argc, char** argv) {
    if (argc > 3 && !strcmp(argv[1], "probe")) {
        std::string root, target = argv[3]; int step = 0;
        for (int i = 4; i < argc; ++i) { if (!strncmp(argv[i], "--root=", 7)) root = argv[i] + 7; if (!strncmp(argv[i], "--first-step=", 13)) step = atoi(argv[i] + 13); }
        return rnncheck::run_probe_here(argv[2], target, root, step);
    }
    rnncheck::SurveyOptions o; rnncheck::Selection s;
    for (int i = 1; i < argc; ++i) { if (!strncmp(argv[i], "--root=", 7)) o.root = argv[i] + 7; if (!strcmp(argv[i], "--deadline")) o.deadline_s = atof(argv[i + 1]); if (!strcmp(argv[i], "--allow-no-gpu")) s.allow_no_gpu = true; }
    const auto report = rnncheck::judge(rnncheck::survey(o), rnncheck::Matrix::bundled(), s);
    find_named(rnncheck::all_formats(), "json")->thing->write(report, std::cout, {});
    return report.verdict == rnncheck::Health::problems ? 1 : report.verdict == rnncheck::Health::undetermined ? 3 : 0;
}
