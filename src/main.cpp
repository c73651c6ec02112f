// TEMPORARY
#include <cstdio>
#include <cstring>
#include "survey.hpp"
#include "facts/facts_json.hpp"
int main(int argc, char** argv) {
    if (argc > 3 && !strcmp(argv[1], "probe")) {
        std::string root, target = argv[3]; int step = 0;
        for (int i = 4; i < argc; ++i) { if (!strncmp(argv[i], "--root=", 7)) root = argv[i] + 7; if (!strncmp(argv[i], "--first-step=", 13)) step = atoi(argv[i] + 13); }
        return rnncheck::run_probe_here(argv[2], target, root, step);
    }
    puts(rnncheck::facts_to_text(rnncheck::survey({}), 1).c_str());
}
