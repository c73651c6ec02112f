// The compatibility tables and their queries. Must not evaluate. A query returns "known" with the
// row and its source, or on which side of the data the input is, which never counts as a yes.
#pragma once

#include <memory>

#include "matrix/cuda_rows.hpp"
#include "matrix/framework_rows.hpp"
#include "matrix/rnn_rows.hpp"
#include "matrix/status_rows.hpp"

/// Every table: X(kind of row, name), the name being that of its file. Adding one takes its rows
/// and a line here.
#define RNNCHECK_TABLES(X)                         \
    X(Architecture, architectures)                 \
    X(ContainerImage, container_images)            \
    X(CudaOfDriver, cuda_of_driver)                \
    X(CudnnBuild, cudnn_builds)                    \
    X(CudnnPart, cudnn_parts)                      \
    X(DriverBranch, driver_branches)               \
    X(DriverForCuda, driver_for_cuda)              \
    X(ForwardCompatibility, forward_compatibility) \
    X(FrameworkBuild, framework_builds)            \
    X(FrameworkBuild, framework_builds_arm)        \
    X(FrameworkCuda, framework_cuda)               \
    X(GpuProduct, gpu_products)                    \
    X(KerasBackend, keras_backends)                \
    X(LogCause, log_causes)                        \
    X(LogEvidence, log_evidence)                   \
    X(LogRemedy, log_remedies)                     \
    X(LogSignature, log_signatures)                \
    X(ModelRule, model_rules)                      \
    X(RnnDefect, rnn_defects)                      \
    X(RnnLimit, rnn_limits)                        \
    X(RnnRequiredSupport, rnn_required_support)    \
    X(StatusName, status_names)                    \
    X(DriverForCuda, windows_driver_for_cuda)      \
    X(Xid, xid)

namespace rnncheck {

struct Tables;

// Who reads the rows of models or logs includes model_rows.hpp or log_rows.hpp.
struct LogCause;
struct LogEvidence;
struct LogRemedy;
struct LogSignature;
struct ModelRule;

/// Copies share their tables. Not thread-safe: a table is parsed by the first query of it.
class Matrix {
  public:
    /// The tables compiled into the program. Parsed on first use, one by one.
    static Matrix bundled();
    /// All tables of a directory; those that differ from the bundled ones are read at once.
    /// InputError names the file and the place that is wrong.
    static Matrix from_directory(const std::string& directory);

    const std::string& date() const;  ///< of the newest source, ISO
    const std::string& digest()
        const;  ///< "sha256:...": `cd directory && sha256sum *.json | sha256sum`

    /// Every table's rows in the order of the table: gpu_products().
#define RNNCHECK_ROWS(R, name) const std::vector<R>& name() const;
    RNNCHECK_TABLES(RNNCHECK_ROWS)
#undef RNNCHECK_ROWS

    /// By major.minor: 12.4.1 finds 12.4.
    Answer<DriverForCuda> driver_for_cuda(const Version& cuda) const;
    Answer<DriverForCuda> windows_driver_for_cuda(const Version& cuda) const;
    /// By branch: 535.104.05 finds 535. Silent if unset.
    Answer<CudaOfDriver> cuda_of_driver(const std::optional<Version>& driver) const;
    /// Known if NVIDIA lists this package for this driver's branch; silent if not.
    /// GpuProduct::data_center shows whether such packages support the GPU.
    Answer<ForwardCompatibility> forward_compatibility(
        const Version& cuda, const Version& driver) const;
    /// Silent if unset.
    Answer<Architecture> architecture(const std::optional<Version>& capability) const;
    /// Builds of exactly this version; `coverage` shows whether the version is outside the table.
    Answer<CudnnBuild> cudnn_build(const Version& cudnn, int cuda_major) const;
    std::vector<CudnnPart> cudnn_parts(int major) const;
    Answer<StatusName> status(std::string_view library, int major, std::int64_t code) const;
    /// Known defects of this version on a GPU of this capability (any GPU when unset). For a
    /// version outside the table of builds none are known, which means nothing: query cudnn_build
    /// first.
    std::vector<RnnDefect> rnn_defects(
        const Version& cudnn,
        std::optional<Version> capability,
        std::string_view os = "linux") const;
    /// The oldest rule about a feature ("bf16").
    Answer<RnnLimit> rnn_limit(std::string_view feature) const;
    /// Known when the table has a row that requires this version on this capability to support the
    /// case.
    Answer<RnnRequiredSupport> requires_support(
        const Version& cudnn,
        const Version& capability,
        std::string_view dtype,
        std::string_view algorithm) const;

    /// The frameworks of the table of builds.
    std::vector<std::string> frameworks() const;
    /// Every published build of a framework ("pytorch") in the order of the table.
    std::vector<FrameworkBuild> framework_builds(std::string_view framework) const;
    /// Every product that a name as users write it can mean ("rtx3090", "Tesla K80",
    /// "a100-sxm4-80gb"); empty: unknown.
    const std::vector<GpuProduct>& gpu_products_named(std::string_view written) const;
    /// Known when all of these have the same capability; the row is the plainest of them, a data
    /// centre's only when all are. Silent for "RTX 6000", which names three generations:
    /// gpu_products_named() returns them.
    Answer<GpuProduct> gpu_product(std::string_view written) const;

    Answer<FrameworkCuda> framework_cuda(std::string_view framework, const Version& version) const;

    explicit Matrix(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {
    }

  private:
    std::shared_ptr<const Tables> tables_;
};

/// Whether some version that the text means (8.1 is any 8.1.x) is of this row.
bool may_be_of(const CudnnBuild& row, const Version& cudnn);

}  // namespace rnncheck
