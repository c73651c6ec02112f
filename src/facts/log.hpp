// Facts read from logs: what a program printed, understood line by line by the table of signatures.
#pragma once

#include "facts/common.hpp"

namespace rnncheck {

/// What a line that matches a signature is.
enum class LogKind {
    error,        ///< reports that something failed
    consequence,  ///< reports only that something before it failed
    unknown,      ///< has the form of an error that no signature knows
    context,      ///< states a fact
    harmless,     ///< looks like an error and is none
};
RNNCHECK_ENUM_NAMES(LogKind, "error", "consequence", "unknown", "context", "harmless")

/// What a line reports: {"loaded", "8.0.5"}.
struct LogField {
    std::string name;
    std::string value;

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "what it is: loaded, built, status, library, gpu, capability, ...");
        visit("value", self.value, "as written in the log");
    }
};

/// One kind of line as seen in the logs.
struct LogEvent {
    std::string signature;
    LogKind kind = LogKind::context;
    std::string file;
    std::int64_t line = 0;
    std::string text;
    std::vector<LogField> captures;
    std::int64_t count = 1;

    static void fields(auto& self, auto&& visit) {
        visit("signature", self.signature, "id in the table log_signatures");
        visit("kind", self.kind, "what such a line is");
        visit("file", self.file, "its log, as named on the command line");
        visit("line", self.line, "number of the first such line, from 1");
        visit("text", self.text, "that line, escaped and cut");
        visit("captures", self.captures, "named groups of the pattern, as matched in the line");
        visit("count", self.count, "how many such lines were seen; large numbers are not counted out");
    }
};

/// The configuration that TensorFlow prints when an RNN call fails. A number the line does not hold is unset.
struct LogRnnConfig {
    std::string call;
    std::optional<std::string> cell;
    std::optional<std::string> input_mode;
    std::optional<std::string> direction;
    std::optional<std::int64_t> layers;
    std::optional<std::int64_t> input_size;
    std::optional<std::int64_t> units;
    std::optional<std::int64_t> directions;
    std::optional<std::int64_t> sequence_length;
    std::optional<std::int64_t> batch;
    std::optional<std::int64_t> cell_units;
    std::vector<std::string> missing;

    static void fields(auto& self, auto&& visit) {
        visit("call", self.call, "the call that failed: ThenRnnForward, DoRnnBackward, ...");
        visit("cell", self.cell, "rnn_relu, rnn_tanh, lstm, gru");
        visit("input_mode", self.input_mode, "linear_input, skip_input, auto_select");
        visit("direction", self.direction, "unidirectional, bidirectional");
        visit("layers", self.layers, "layers");
        visit("input_size", self.input_size, "size of the input");
        visit("units", self.units, "hidden size");
        visit("directions", self.directions, "1 or 2");
        visit("sequence_length", self.sequence_length, "longest sequence, in steps");
        visit("batch", self.batch, "sequences in a batch");
        visit("cell_units", self.cell_units, "size of the cell state; 0 for cells without one");
        visit("missing", self.missing, "what this form of the message has and the log lacks");
    }
};

/// What the user knows in addition: "os" is "Windows 10".
struct UserHint {
    std::string key;
    std::string value;
    std::optional<std::string> expected;

    static void fields(auto& self, auto&& visit) {
        visit("key", self.key, "what it is about: os, gpu, driver, framework, ...");
        visit("value", self.value, "as written by the person");
        visit("expected", self.expected, "values that are accepted, if the value was not understood");
    }
};

/// Everything read from one or several logs.
struct Log {
    std::vector<std::string> files;
    std::int64_t lines = 0;
    std::vector<LogEvent> events;
    std::optional<LogRnnConfig> rnn_config;
    std::vector<std::string> registered_devices;
    std::optional<std::int64_t> first_error_line;
    std::optional<std::string> first_error;
    std::vector<UserHint> user_hints;

    static void fields(auto& self, auto&& visit) {
        visit("files", self.files, "logs that were read, as named on the command line; - is standard input");
        visit("lines", self.lines, "lines read");
        visit("events", self.events, "kinds of lines that were recognised, in the order of their first line");
        visit("rnn_config", self.rnn_config, "the recurrent network that failed");
        visit("registered_devices", self.registered_devices, "devices that TensorFlow lists");
        visit("first_error_line", self.first_error_line, "number of the first line that is a true error");
        visit("first_error", self.first_error, "that line, escaped and cut");
        visit("user_hints", self.user_hints, "what the user added with --given, as written");
    }
};

}  // namespace rnncheck
