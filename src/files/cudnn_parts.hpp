// The parts of a cuDNN, opened in a played-through process as cuDNN
// opens them while a program runs.
#pragma once

#include "files/first_call.hpp"
#include "files/loader/process.hpp"

namespace rnncheck::loader {

/// Opens the parts of the libcudnn with this number in process.objects().
/// `names_inside` are the library names that are texts in it. The order
/// decides: what one part needs, another may bring from elsewhere.
void open_parts_of_cudnn(
    Process& process,
    std::size_t cudnn,
    const std::vector<std::string>& names_inside,
    FirstCall first);

/// The version by which a cuDNN library opens parts: read from the code of
/// libcudnn or from the name of its real file; for a part that does not show
/// its own, that of the libcudnn in the process.
std::optional<Version> version_of_cudnn(const Process& process, std::size_t cudnn);

/// The names that a cuDNN library of this version tries in turn for a part whose
/// name is a text in it: for libcudnn_ops.so in 9.28.0 libcudnn_ops.so.9.28.0,
/// libcudnn_ops.so.9.28 and libcudnn_ops.so.9; just the name for one with a number.
std::vector<std::string> names_tried(
    const std::string& cudnn_name, const std::optional<Version>& version, const std::string& part);

/// A sentence when the version of this libcudnn.so.9 is unknown and there are
/// files of parts that it may open by a name with the full version; else empty.
std::string unknown_version(const Process& process, std::size_t cudnn);

/// For each part that the other order of first calls would load from another
/// file, a sentence that names both.
std::vector<std::string> differences_by_first_call(
    const Process& ops_first, const Process& adv_first);

}  // namespace rnncheck::loader
