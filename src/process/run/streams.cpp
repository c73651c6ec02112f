// A pipe is replaced by a pipe, a terminal by a pseudo-terminal; a file or a
// device the command gets itself, for a program may seek in it or look what it is.
#include "process/run/streams.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
namespace rnncheck::process {

namespace {

/// The same file, pipe or terminal: 2>&1 makes one of two streams, and the
/// order of what was written must be kept.
bool lead_to_same_place(int one, int other) {
    struct stat a {
    }, b{};
    if (fstat(one, &a) != 0 || fstat(other, &b) != 0)
        return false;
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// From 3 on: a duplicate below would be taken for a standard stream.
Descriptor duplicate(int descriptor) {
    return Descriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
}

/// Up to `most` bytes of the file from `begin` on.
std::string part_of(int file, std::uint64_t begin, std::uint64_t most) {
    std::string part(most, '\0');
    std::size_t used = 0;
    while (used < part.size()) {
        const ssize_t got =
            pread(file, part.data() + used, part.size() - used, static_cast<off_t>(begin + used));
        if (got <= 0)
            break;
        used += static_cast<std::size_t>(got);
    }
    part.resize(used);
    return part;
}

/// Only what was written into a regular file can be read from it afterwards.
bool is_regular_file(int descriptor) {
    struct stat about {};
    return fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
}

std::uint64_t size_of(int file) {
    struct stat about {};
    if (fstat(file, &about) != 0)
        return 0;
    return static_cast<std::uint64_t>(about.st_size);
}

/// What was written to the file since `begin`, read from the file.
Output written_to(int file, std::uint64_t begin) {
    const Descriptor again(
        open(("/proc/self/fd/" + std::to_string(file)).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    Output output;
    output.unreadable = !again.open();
    if (output.unreadable)
        return output;
    const std::uint64_t end = size_of(again.number());
    begin = std::min(begin, end);
    output.head =
        part_of(again.number(), begin, std::min<std::uint64_t>(end - begin, KeptOutput::head_size));
    const std::uint64_t after_head = begin + output.head.size();
    const std::uint64_t tail =
        end - std::min<std::uint64_t>(end - after_head, KeptOutput::tail_size);
    output.skipped = tail - after_head;
    output.tail = part_of(again.number(), tail, end - tail);
    return output;
}

}  // namespace

Streams::Streams() {
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        add_place(stream);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        if (real_terminal_ < 0 && isatty(stream))
            real_terminal_ = place_of_[stream]->to_place.number();
    if (real_terminal_ < 0)
        return;
    auto pair = pseudo_terminal(real_terminal_);
    // the command gets the terminal itself
    if (!pair) {
        for (Place& place : places_)
            if (place.kind == Kind::terminal)
                place.kind = Kind::same;
        return;
    }
    terminal_ = std::move(*pair);
    fcntl(terminal_.controller.number(), F_SETFL, O_RDWR | O_NONBLOCK);
    PipeEnds use = new_pipe();
    terminal_in_use_ = std::move(use.read);
    terminal_user_ = std::move(use.write);
    has_session_ = isatty(STDOUT_FILENO) && is_in_foreground(STDOUT_FILENO);
    input_is_terminal_ = lead_to_same_place(STDIN_FILENO, real_terminal_);
    termios modes{};
    tcgetattr(real_terminal_, &modes);
    // the terminal itself does this
    if (!has_session_)
        modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    tcsetattr(terminal_.terminal.number(), TCSANOW, &modes);
}

void Streams::add_place(int stream) {
    if (stream == STDERR_FILENO && lead_to_same_place(STDOUT_FILENO, STDERR_FILENO)) {
        place_of_[stream] = place_of_[STDOUT_FILENO];
        return;
    }
    Place& place = places_.emplace_back();
    place_of_[stream] = &place;
    place.ours = stream;
    place.to_place = duplicate(stream);
    struct stat about {};
    if (isatty(stream)) {
        place.kind = Kind::terminal;
    } else if (fstat(stream, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode))) {
        PipeEnds pipe = new_pipe();
        place.kind = Kind::pipe;
        place.source = std::move(pipe.read);
        place.for_command = std::move(pipe.write);
    } else if (is_regular_file(stream)) {
        const bool appends = (fcntl(stream, F_GETFL) & O_APPEND) != 0;
        if (appends)
            place.begin = size_of(stream);
        else
            place.begin =
                static_cast<std::uint64_t>(std::max<off_t>(lseek(stream, 0, SEEK_CUR), 0));
    }
}

void Streams::give_to_command() const {
    if (has_session_ && input_is_terminal_)
        dup2(terminal_.terminal.number(), STDIN_FILENO);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
        const Place& place = *place_of_[stream];
        if (place.kind == Kind::pipe)
            dup2(place.for_command.number(), stream);
        if (place.kind == Kind::terminal)
            dup2(terminal_.terminal.number(), stream);
    }
}

void Streams::start_relays() {
    bool relays_terminal = false;
    for (Place& place : places_) {
        place.for_command.close();
        if (place.kind == Kind::pipe)
            place.relay.emplace(std::move(place.source), place.to_place.number());
        if (place.kind == Kind::terminal && !relays_terminal)
            place.relay.emplace(
                duplicate(terminal_.controller.number()),
                place.to_place.number(),
                terminal_user_.number());
        relays_terminal |= place.kind == Kind::terminal;
        if (place.kind == Kind::pipe && place.ours == STDOUT_FILENO)
            place.to_place.close();
    }
    terminal_user_.close();
    terminal_in_use_.close();
    const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    dup2(nothing.number(), STDIN_FILENO);
    dup2(nothing.number(), STDOUT_FILENO);
}

void Streams::follow_size() const {
    if (terminal_.controller.open())
        copy_size(real_terminal_, terminal_.controller.number());
}

void Streams::drain() {
    terminal_.terminal.close();
    for (Place& place : places_)
        if (place.relay)
            place.relay->drain();
}

std::vector<Output> Streams::outputs() const {
    std::vector<Output> outputs;
    for (const Place& place : places_)
        outputs.push_back(output_of(place));
    return outputs;
}

Output Streams::output_of(const Place& place) {
    if (place.relay)
        return place.relay->output();
    if (is_regular_file(place.to_place.number()))
        return written_to(place.to_place.number(), place.begin);
    Output nothing;
    nothing.unreadable = true;
    return nothing;
}

}  // namespace rnncheck::process
