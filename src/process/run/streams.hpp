// What a command gets as its standard streams, and how what it writes reaches ours.
#pragma once

#include <list>
#include <optional>
#include <vector>

#include "process/run/relay.hpp"
#include "process/run/terminal.hpp"

namespace rnncheck::process {

/// Of one stream of ours, or of two that lead to the same place.
class Streams {
  public:
    /// Looks at the streams of this process and prepares what the
    /// command gets. Starts no process.
    Streams();

    /// The command gets a session of its own on the pseudo-terminal, with keys
    /// and job control.
    bool has_session() const {
        return has_session_;
    }

    /// To be called by the process that becomes the command, or before that by its parent.
    void give_to_command() const;

    /// To be called when the command has been started: passes on what it writes.
    /// From then on this process has neither standard input nor standard output.
    void start_relays();

    /// Our terminal, which the pseudo-terminal replaces; -1 without one.
    int real_terminal() const {
        return real_terminal_;
    }

    /// The pseudo-terminal, if there is one.
    const Descriptor& controller() const {
        return terminal_.controller;
    }
    const Descriptor& terminal() const {
        return terminal_.terminal;
    }

    /// Reads nothing until its end, which comes when nobody passes on what is
    /// written to the pseudo-terminal any more.
    const Descriptor& terminal_in_use() const {
        return terminal_in_use_;
    }

    /// Our terminal has changed its size.
    void follow_size() const;

    /// For a command that has ended: all that it wrote is passed on.
    void drain();

    /// What it wrote to standard output and to standard error; once, if
    /// both lead to the same place.
    std::vector<Output> outputs() const;

  private:
    enum class Kind { same, pipe, terminal };

    /// A place that standard output or standard error leads to.
    struct Place {
        Kind kind = Kind::same;
        /// the number of our stream
        int ours = 0;
        /// our stream again: this process gives up its own
        Descriptor to_place = {};
        /// of a pipe
        Descriptor for_command = {};
        /// of a pipe
        Descriptor source = {};
        /// of a file: where the command begins to write
        std::uint64_t begin = 0;
        std::optional<Relay> relay = {};
    };

    void add_place(int stream);
    static Output output_of(const Place& place);

    /// at most two, whose addresses place_of_ keeps
    std::list<Place> places_;
    Place* place_of_[3] = {};  ///< by stream
    PseudoTerminal terminal_;
    Descriptor terminal_in_use_, terminal_user_;
    int real_terminal_ = -1;
    bool has_session_ = false, input_is_terminal_ = false;
};

}  // namespace rnncheck::process
