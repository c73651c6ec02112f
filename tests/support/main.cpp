#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <cstdio>

#include "support/skip.hpp"

namespace {

bool skipped = false;

}  // namespace

void rnncheck::test::skip(const std::string& reason) {
    skipped = true;
    std::printf("SKIPPED: %s\n", reason.c_str());
}

int main(int argc, char** argv) {
    const int failed = Catch::Session().run(argc, argv);
    return failed != 0 ? 1 : skipped ? 77 : 0;
}
