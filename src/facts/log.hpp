// Facts read from logs: what a program printed, understood line by
// line by the table of signatures.
#pragma once

#include "facts/common.hpp"

namespace rnncheck {

/// What a line that matches a signature is.
RNNCHECK_ENUM(
    LogKind,
    /// reports that something failed
    error,
    /// reports only that something before it failed
    consequence,
    /// has the form of an error that no signature knows
    unknown,
    /// states a fact
    context,
    /// looks like an error and is none
    harmless)

/// What a line reports: {"loaded", "8.0.5"}.
struct LogField {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::string, name, "what it is: loaded, built, status, library, gpu, capability, ...");
    RNNCHECK_FIELD(std::string, value, "as written in the log");
    RNNCHECK_FIELDS_END

    bool operator==(const LogField&) const = default;
};

/// One kind of line as seen in the logs.
struct LogEvent {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, signature, "id in the table log_signatures");
    RNNCHECK_FIELD(LogKind, kind, "what such a line is") = LogKind::context;
    RNNCHECK_FIELD(std::string, file, "its log, as named on the command line");
    RNNCHECK_FIELD(std::int64_t, line, "number of the first such line, from 1") = 0;
    RNNCHECK_FIELD(std::string, text, "that line, escaped and cut");
    RNNCHECK_FIELD(
        std::vector<LogField>, captures, "named groups of the pattern, as matched in the line");
    RNNCHECK_FIELD(
        std::int64_t,
        count,
        "how many such lines were seen; large numbers are not counted out") = 1;
    RNNCHECK_FIELDS_END
};

/// The configuration that TensorFlow prints when an RNN call fails. A number
/// the line does not hold is unset.
struct LogRnnConfig {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, call, "the call that failed: ThenRnnForward, DoRnnBackward, ...");
    RNNCHECK_FIELD(std::optional<std::string>, cell, "rnn_relu, rnn_tanh, lstm, gru");
    RNNCHECK_FIELD(std::optional<std::string>, input_mode, "linear_input, skip_input, auto_select");
    RNNCHECK_FIELD(std::optional<std::string>, direction, "unidirectional, bidirectional");
    RNNCHECK_FIELD(std::optional<std::int64_t>, layers, "layers");
    RNNCHECK_FIELD(std::optional<std::int64_t>, input_size, "size of the input");
    RNNCHECK_FIELD(std::optional<std::int64_t>, units, "hidden size");
    RNNCHECK_FIELD(std::optional<std::int64_t>, directions, "1 or 2");
    RNNCHECK_FIELD(std::optional<std::int64_t>, sequence_length, "longest sequence, in steps");
    RNNCHECK_FIELD(std::optional<std::int64_t>, batch, "sequences in a batch");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>, cell_units, "size of the cell state; 0 for cells without one");
    RNNCHECK_FIELD(
        std::vector<std::string>, missing, "what this form of the message has and the log lacks");
    RNNCHECK_FIELDS_END
};

/// What the user knows in addition: "os" is "Windows 10".
struct UserHint {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, key, "what it is about: os, gpu, driver, framework, ...");
    RNNCHECK_FIELD(std::string, value, "as written by the person");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        expected,
        "values that are accepted, if the value was not understood");
    RNNCHECK_FIELDS_END
};

/// Everything read from one or several logs.
struct Log {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::vector<std::string>,
        files,
        "logs that were read, as named on the command line; - is standard input");
    RNNCHECK_FIELD(std::int64_t, lines, "lines read") = 0;
    RNNCHECK_FIELD(
        std::vector<LogEvent>,
        events,
        "kinds of lines that were recognised, in the order of their first line");
    RNNCHECK_FIELD(std::optional<LogRnnConfig>, rnn_config, "the recurrent network that failed");
    RNNCHECK_FIELD(std::vector<std::string>, registered_devices, "devices that TensorFlow lists");
    RNNCHECK_FIELD(
        std::optional<std::int64_t>,
        first_error_line,
        "number of the first line that is a true error");
    RNNCHECK_FIELD(std::optional<std::string>, first_error, "that line, escaped and cut");
    RNNCHECK_FIELD(
        std::vector<UserHint>, user_hints, "what the user added with --given, as written");
    RNNCHECK_FIELDS_END
};

}  // namespace rnncheck
