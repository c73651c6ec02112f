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
    /// All tables of a folder, read at once. InputError names the file and the place that is wrong.
    static Matrix from_folder(const std::string& folder);

    const std::string& date() const;    ///< of the newest source, ISO
    const std::string& digest() const;  ///< "sha256:...": `cd folder && sha256sum *.json | sha256sum`

    /// By major.minor: 12.4.1 asks for 12.4.
    Answer<DriverForCuda> driver_for_cuda(const Version& cuda) const;
    /// By branch: 535.104.05 asks for 535.
    Answer<CudaOfDriver> cuda_of_driver(const Version& driver) const;
    Answer<Architecture> architecture(const Version& capability) const;
    /// Builds of this very release; coverage tells when the release is outside the table.
    Answer<CudnnBuild> cudnn_build(const Version& cudnn, int cuda_major) const;
    std::vector<CudnnPart> cudnn_parts(int major) const;
    Answer<StatusName> status(std::string_view library, int major, std::int64_t code) const;
    /// Known defects of this release on a GPU of this capability (any GPU when unset), on Linux. Of a release outside
    /// the table of builds none are known, which says nothing: ask cudnn_build first.
    std::vector<RnnDefect> rnn_defects(const Version& cudnn, std::optional<Version> capability) const;
    /// Known when the table has a row that obliges this release on this capability to offer the case.
    Answer<RnnOffer> must_offer(const Version& cudnn, const Version& capability, std::string_view dtype,
                                std::string_view algorithm) const;

    /// Every published build of a framework ("pytorch") in the order of the table.
    std::vector<FrameworkBuild> framework_builds(std::string_view framework) const;
    const std::vector<KerasBackend>& keras_backends() const;
    const std::vector<GpuProduct>& gpu_products() const;

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
