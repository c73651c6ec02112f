// Which columns each table has: one list per kind of row, used for reading and for checking. A column that may be
// missing in a row says so, or holds an optional.
#pragma once

#include "matrix/matrix.hpp"

namespace rnncheck {

constexpr bool may_be_missing = true;

template <class Visit>
void columns(DriverForCuda& row, Visit&& visit) {
    visit("cuda", row.cuda);
    visit("full_driver", row.full_driver);
    visit("oldest_driver", row.oldest_driver);
    visit("oldest_source", row.oldest_source);
}

template <class Visit>
void columns(CudaOfDriver& row, Visit&& visit) {
    visit("branch", row.branch);
    visit("last_branch", row.last_branch);
    visit("cuda", row.cuda);
}

template <class Visit>
void columns(ForwardCompatibility& row, Visit&& visit) {
    visit("cuda", row.cuda);
    visit("branch", row.branch);
    visit("capability_min", row.capability_min);
}

template <class Visit>
void columns(DriverBranch& row, Visit&& visit) {
    visit("branch", row.branch);
    visit("kind", row.kind, may_be_missing);
    visit("ended", row.ended);
    visit("supported_until", row.supported_until, may_be_missing);
    visit("last_release", row.last_release);
}

template <class Visit>
void columns(Architecture& row, Visit&& visit) {
    visit("capability", row.capability);
    visit("name", row.name);
    visit("integrated", row.integrated, may_be_missing);
    visit("first_cuda", row.first_cuda);
    visit("last_cuda", row.last_cuda);
    visit("last_driver_branch", row.last_driver_branch);
    visit("driver_source", row.driver_source);
}

template <class Visit>
void columns(CudnnBuild& row, Visit&& visit) {
    visit("cudnn", row.cudnn);
    visit("cudnn_last", row.cudnn_last);
    visit("cuda_major", row.cuda_major);
    visit("cuda_min", row.cuda_min);
    visit("cuda_max", row.cuda_max);
    visit("capability_min", row.capability_min);
    visit("capability_max", row.capability_max);
    visit("driver_min", row.driver_min);
}

template <class Visit>
void columns(CudnnPart& row, Visit&& visit) {
    visit("major", row.major);
    visit("soname", row.soname);
    visit("needed_by_rnn", row.needed_by_rnn);
    visit("needed_by_version", row.needed_by_version);
    visit("needed_to_train", row.needed_to_train);
    visit("since", row.since);
}

template <class Visit>
void columns(StatusName& row, Visit&& visit) {
    visit("library", row.library);
    visit("major", row.major);
    visit("code", row.code);
    visit("name", row.name);
    visit("meaning", row.meaning, may_be_missing);
    visit("remedy", row.remedy, may_be_missing);
}

template <class Visit>
void columns(Xid& row, Visit&& visit) {
    visit("xid", row.xid);
    visit("name", row.name);
    visit("meaning", row.meaning);
    visit("remedy", row.remedy, may_be_missing);
}

template <class Visit>
void columns(RnnDefect& row, Visit&& visit) {
    visit("id", row.id);
    visit("cause", row.cause);
    visit("first", row.first);
    visit("fixed", row.fixed);
    visit("capability_min", row.capability_min);
    visit("capability_max", row.capability_max);
    visit("os", row.os, may_be_missing);
    visit("symptom", row.symptom);
    visit("workaround", row.workaround);
}

template <class Visit>
void columns(RnnOffer& row, Visit&& visit) {
    visit("dtype", row.dtype);
    visit("algorithm", row.algorithm);
    visit("first", row.first);
    visit("last", row.last);
    visit("capability_min", row.capability_min);
}

template <class Visit>
void columns(RnnLimit& row, Visit&& visit) {
    visit("feature", row.feature);
    visit("first", row.first);
    visit("last", row.last);
    visit("capability_min", row.capability_min);
    visit("capability_max", row.capability_max);
    visit("rule", row.rule);
}

template <class Visit>
void columns(GpuProduct& row, Visit&& visit) {
    visit("name", row.name);
    visit("capability", row.capability);
    visit("data_center", row.data_center, may_be_missing);
}

template <class Visit>
void columns(FrameworkBuild& row, Visit&& visit) {
    visit("framework", row.framework);
    visit("first", row.first);
    visit("last", row.last);
    visit("os", row.os);
    visit("build", row.build);
    visit("python_first", row.python_first);
    visit("python_last", row.python_last);
    visit("cuda", row.cuda);
    visit("cudnn", row.cudnn);
    visit("without_cudnn", row.without_cudnn, may_be_missing);
    visit("libraries", row.libraries);
    visit("targets", row.targets, may_be_missing);
    visit("driver_min", row.driver_min);
    visit("package", row.package);
    visit("install", row.install, may_be_missing);
}

template <class Visit>
void columns(KerasBackend& row, Visit&& visit) {
    visit("first", row.first);
    visit("last", row.last);
    visit("backend", row.backend);
    visit("backend_first", row.backend_first);
    visit("backend_last", row.backend_last);
}

template <class Visit>
void columns(LogSignature& row, Visit&& visit) {
    visit("id", row.id);
    visit("kind", row.kind);
    visit("pattern", row.pattern);
    visit("says", row.says);
}

template <class Visit>
void columns(LogPointer& row, Visit&& visit) {
    visit("cause", row.cause);
    visit("when", row.when);
    visit("weight", row.weight);
    visit("decides", row.decides, may_be_missing);
}

template <class Visit>
void columns(LogCause& row, Visit&& visit) {
    visit("cause", row.cause);
    visit("layer", row.layer);
    visit("severity", row.severity);
    visit("title", row.title);
    visit("message", row.message);
    visit("means", row.means, may_be_missing);
    visit("knows", row.knows);
    visit("check", row.check);
    visit("check_command", row.check_command, may_be_missing);
    visit("remedy", row.remedy);
    visit("command", row.command, may_be_missing);
    visit("risk", row.risk, may_be_missing);
    visit("harmless", row.harmless, may_be_missing);
}

template <class Visit>
void columns(FrameworkCuda& row, Visit&& visit) {
    visit("framework", row.framework);
    visit("first", row.first);
    visit("last", row.last);
    visit("newest_cuda", row.newest_cuda);
    visit("cudnn_major", row.cudnn_major);
}

/// The columns of a row with those that every table has.
template <class R, class Visit>
void all_columns(R& row, Visit&& visit) {
    columns(row, visit);
    visit("source", row.source);
    visit("known", row.known);
    visit("note", row.note, may_be_missing);
}

}  // namespace rnncheck
