// The compatibility tables and the questions they answer. May not judge. A question answers "known" with the row and
// its source, or says on which side of the data the input lies: that is never a yes.
#pragma once

#include <memory>

#include "matrix/framework_rows.hpp"
#include "matrix/log_rows.hpp"
#include "matrix/rows.hpp"

namespace rnncheck {

/// Copies share their tables. Not for several threads at once: a table is parsed by the first question to it.
class Matrix {
  public:
    /// The tables compiled into the program. Parsed on first use, one by one.
    static Matrix bundled();
    /// All tables of a folder; those that differ from the bundled ones are read at once. InputError names the file and
    /// the place that is wrong.
    static Matrix from_folder(const std::string& folder);

    const std::string& date() const;    ///< of the newest source, ISO
    const std::string& digest() const;  ///< "sha256:...": `cd folder && sha256sum *.json | sha256sum`

    /// By major.minor: 12.4.1 asks for 12.4.
    Answer<DriverForCuda> driver_for_cuda(const Version& cuda) const;
    /// By branch: 535.104.05 asks for 535.
    Answer<CudaOfDriver> cuda_of_driver(const Version& driver) const;
    Answer<DriverForCuda> windows_driver_for_cuda(const Version& cuda) const;
    /// Known when NVIDIA names this package for this driver's branch; silent says that it does not. Whether the GPU is
    /// one that such packages are made for is GpuProduct::data_center.
    Answer<ForwardCompatibility> forward_compatibility(const Version& cuda, const Version& driver) const;
    Answer<DriverBranch> driver_branch(const Version& driver) const;
    const std::vector<Architecture>& architectures() const;
    Answer<Architecture> architecture(const Version& capability) const;
    /// Oldest release first, the CUDA majors one after the other.
    const std::vector<CudnnBuild>& cudnn_builds() const;
    /// Builds of this very release; coverage tells when the release is outside the table.
    Answer<CudnnBuild> cudnn_build(const Version& cudnn, int cuda_major) const;
    std::vector<CudnnPart> cudnn_parts(int major) const;
    Answer<StatusName> status(std::string_view library, int major, std::int64_t code) const;
    Answer<Xid> xid(int number) const;
    /// Known defects of this release on a GPU of this capability (any GPU when unset). Of a release outside the table
    /// of builds none are known, which says nothing: ask cudnn_build first.
    std::vector<RnnDefect> rnn_defects(const Version& cudnn, std::optional<Version> capability,
                                       std::string_view os = "linux") const;
    /// The rules that hold for this release, on some GPU at least.
    std::vector<RnnLimit> rnn_limits(const Version& cudnn) const;
    /// The oldest rule about a feature ("bf16").
    Answer<RnnLimit> rnn_limit(std::string_view feature) const;
    /// Known when the table has a row that obliges this release on this capability to offer the case.
    Answer<RnnOffer> must_offer(const Version& cudnn, const Version& capability, std::string_view dtype,
                                std::string_view algorithm) const;

    /// The frameworks of the table of builds.
    std::vector<std::string> frameworks() const;
    const std::vector<FrameworkBuild>& framework_builds() const;
    /// Every published build of a framework ("pytorch") in the order of the table.
    std::vector<FrameworkBuild> framework_builds(std::string_view framework) const;
    const std::vector<KerasBackend>& keras_backends() const;
    const std::vector<GpuProduct>& gpu_products() const;
    /// Every product that a name as people write it can mean ("rtx3090", "Tesla K80", "a100-sxm4-80gb"); empty:
    /// unknown.
    std::vector<GpuProduct> gpu_products_named(std::string_view written) const;
    /// Known when all of these have the same capability; the row is the plainest of them, a data centre's only when all
    /// are. Silent for "RTX 6000", which names three generations: gpu_products_named tells them.
    Answer<GpuProduct> gpu_product(std::string_view written) const;

    const std::vector<LogSignature>& log_signatures() const;
    const std::vector<LogPointer>& log_pointers() const;
    const std::vector<LogCause>& log_causes() const;
    Answer<FrameworkCuda> framework_cuda(std::string_view framework, const Version& release) const;

    struct Tables;
    explicit Matrix(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}

  private:
    std::shared_ptr<const Tables> tables_;
};

}  // namespace rnncheck
