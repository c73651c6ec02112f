// The wire between a probe's process and the survey: JSON lines on one descriptor, flushed
// at once so that a crash loses nothing written before it. May not know any probe.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "facts/facts.hpp"

namespace rnncheck {

/// Writes the text and a line end to a descriptor. If the parent has exited, so
/// does this process; that is not an error.
void write_line(int descriptor, std::string text);

/// The end in the probe's process: what a probe reports while it works.
class ProbeWriter {
  public:
    explicit ProbeWriter(int descriptor) : descriptor_(descriptor) {
    }

    /// Written before every vendor call, so that the last one is known if the
    /// process crashes. The same function twice in a row needs no second one.
    void calling(std::string_view function);
    /// A vendor call returned an error.
    void failed(const CallResult& result);
    /// Step `number` of a list of cases begins, and may from now on be silent
    /// for `limit`; if the process dies, the survey continues after it.
    void step(int number, std::chrono::milliseconds limit);
    /// From now on the process may be silent for so long.
    void limit(std::chrono::milliseconds silence);
    /// This process can compute nothing more (its CUDA context is broken): the
    /// rest is to be done in another one.
    void unusable();
    /// Facts as they are found: as often as something new is known,
    /// each time with only the news.
    void facts(const Facts& news);
    /// This process must live until the survey ends, because of what it keeps open.
    void stay() {
        stays_ = true;
    }
    bool stays() const {
        return stays_;
    }
    /// The probe is finished; only the process's exit follows, unless it stays.
    void done();

  private:
    void line(std::string_view json);
    int descriptor_;
    std::string last_call_;  ///< since any other line
    bool stays_ = false;
};

/// What a line means for the process that sent it.
struct LineMeaning {
    /// nothing that matters follows: the process is expected to exit soon
    bool done = false;
    /// how long it may be silent from now on
    std::optional<std::chrono::milliseconds> limit = {};
    /// it has done its work and lives on until it is ended
    bool stays = false;
};

/// The end in the survey: what a probe's process has reported so far. Other
/// lines (a library may write on any descriptor) are skipped.
struct WireReader : LineMeaning {
    std::string last_call;
    std::vector<CallResult> failed_calls;  ///< the first 64
    std::optional<int> step;
    int steps_begun = 0;
    bool unusable = false;

    /// Takes in one line; facts are merged into `found`.
    LineMeaning read(std::string_view line, Facts& found);
};

}  // namespace rnncheck
