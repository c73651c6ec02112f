// Answers queries of the tables: a row, or on which side of the data the requested version is.
#include "matrix/matrix.hpp"

#include <algorithm>
#include <iterator>

#include "base/lists.hpp"
#include "matrix/ranges.hpp"
#include "matrix/tables.hpp"

namespace rnncheck {

namespace {

template <class R>
Answer<R> known(const R& row) {
    return {Coverage::known, row};
}

/// Between the ends of the data a table is silent about what has no row.
template <class R, class Value>
Answer<R> outside(const Value& requested, const Value& oldest, const Value& newest) {
    if (requested > newest)
        return {Coverage::newer_than_data, {}};
    if (requested < oldest)
        return {Coverage::older_than_data, {}};
    return {Coverage::silent, {}};
}

/// Rows are sorted, which the tests hold: the first and the last row are the ends of the data.
template <class R, class Value>
Answer<R> find(
    const std::vector<R>& rows,
    Value R::*column,
    const std::optional<std::type_identity_t<Value>>& requested) {
    if (rows.empty() || !requested)
        return {};
    for (const R& row : rows)
        if (row.*column == *requested)
            return known(row);
    return outside<R>(*requested, rows.front().*column, rows.back().*column);
}

bool covers(const CudnnBuild& row, const Version& cudnn) {
    return row.cudnn <= cudnn && cudnn <= row.last();
}

/// Whether a cuDNN that has no row for its CUDA is newer or older than all.
Answer<CudnnBuild> outside_builds(const std::vector<CudnnBuild>& rows, const Version& cudnn) {
    if (rows.empty())
        return {};
    Version newest = rows.front().cudnn;
    for (const CudnnBuild& row : rows)
        newest = std::max(newest, row.last());
    return outside<CudnnBuild>(cudnn, rows.front().cudnn, newest);
}

/// Whether a version has the defect on this GPU, any GPU where it is unset.
bool concerns(
    const RnnDefect& defect,
    const Version& cudnn,
    const std::optional<Version>& capability,
    std::string_view os) {
    return (defect.os.empty() || defect.os == os) && cudnn >= defect.first &&
           (!defect.fixed || cudnn < *defect.fixed) &&
           (!capability || is_between(*capability, defect.capability_min, defect.capability_max));
}

/// The rows for which it holds.
template <class R, class Holds>
std::vector<R> those(const std::vector<R>& rows, Holds&& holds) {
    std::vector<R> kept;
    std::ranges::copy_if(rows, std::back_inserter(kept), holds);
    return kept;
}

}  // namespace

Matrix Matrix::bundled() {
    return Matrix(std::make_shared<Tables>(bundled_table_files()));
}

Matrix Matrix::from_directory(const std::string& directory) {
    auto tables = std::make_shared<Tables>(table_files_of(directory));
    tables->each([&files = tables->files](const auto& table) {
        if (!bundled_twin(files, table.stem()))
            table.rows();
    });
    return Matrix(std::move(tables));
}

#define RNNCHECK_ROWS(R, name)                   \
    const std::vector<R>& Matrix::name() const { \
        return tables_->name.rows();             \
    }
RNNCHECK_TABLES(RNNCHECK_ROWS)
#undef RNNCHECK_ROWS

const std::string& Matrix::date() const {
    return tables_->files.date;
}
const std::string& Matrix::digest() const {
    return tables_->files.digest;
}

Answer<DriverForCuda> Matrix::driver_for_cuda(const Version& cuda) const {
    return find(driver_for_cuda(), &DriverForCuda::cuda, shortened(cuda, 2));
}

Answer<CudaOfDriver> Matrix::cuda_of_driver(const std::optional<Version>& driver) const {
    const auto& rows = cuda_of_driver();
    if (rows.empty() || !driver)
        return {};
    const int branch = driver->major();
    for (const CudaOfDriver& row : rows) {
        if (branch < row.branch || branch > row.last_branch)
            continue;
        Answer<CudaOfDriver> answer = known(row);
        // A branch between two rows supports at least the CUDA of the earlier
        // one.
        if (branch != row.branch)
            answer.row->provenance = std::max(row.provenance, Provenance::inferred);
        return answer;
    }
    return outside<CudaOfDriver>(branch, rows.front().branch, rows.back().last_branch);
}

Answer<DriverForCuda> Matrix::windows_driver_for_cuda(const Version& cuda) const {
    return find(windows_driver_for_cuda(), &DriverForCuda::cuda, shortened(cuda, 2));
}

Answer<ForwardCompatibility> Matrix::forward_compatibility(
    const Version& cuda, const Version& driver) const {
    const Version requested = shortened(cuda, 2);
    const auto& rows = forward_compatibility();
    for (const ForwardCompatibility& row : rows)
        if (row.cuda == requested && row.branch == driver.major())
            return known(row);
    if (rows.empty())
        return {};
    return outside<ForwardCompatibility>(requested, rows.front().cuda, rows.back().cuda);
}

Answer<Architecture> Matrix::architecture(const std::optional<Version>& capability) const {
    return find(architectures(), &Architecture::capability, capability);
}

Answer<CudnnBuild> Matrix::cudnn_build(const Version& cudnn, int cuda_major) const {
    const Version requested =
        shortened(cudnn, 3);  // package builds ("9.19.0.56") are of one version
    int newest_major = 0;
    const auto& rows = cudnn_builds();
    for (const CudnnBuild& row : rows) {
        if (covers(row, requested) && row.cuda_major == cuda_major)
            return known(row);
        newest_major = std::max(newest_major, row.cuda_major);
    }
    if (!rows.empty() && cuda_major > newest_major)
        return {Coverage::newer_than_data, {}};
    return outside_builds(rows, requested);
}

std::vector<CudnnPart> Matrix::cudnn_parts(int major) const {
    return those(cudnn_parts(), [&](const CudnnPart& part) { return part.major == major; });
}

Answer<StatusName> Matrix::status(std::string_view library, int major, std::int64_t code) const {
    const int requested = library == "cudnn" ? major : 0;
    int newest = 0;
    for (const StatusName& row : status_names()) {
        if (row.library != library)
            continue;
        if (row.major == requested && row.code == code)
            return known(row);
        newest = std::max(newest, row.major);
    }
    if (requested > newest)
        return {Coverage::newer_than_data, {}};
    return {Coverage::silent, {}};
}

std::vector<RnnDefect> Matrix::rnn_defects(
    const Version& cudnn, std::optional<Version> capability, std::string_view os) const {
    const Version requested =
        shortened(cudnn, 3);  // package builds ("9.19.0.56") are of one version
    return those(rnn_defects(), [&](const RnnDefect& defect) {
        return concerns(defect, requested, capability, os);
    });
}

Answer<RnnLimit> Matrix::rnn_limit(std::string_view feature) const {
    const RnnLimit* row = find_by(rnn_limits(), &RnnLimit::feature, feature);
    if (!row)
        return {};
    return known(*row);
}

Answer<RnnRequiredSupport> Matrix::requires_support(
    const Version& cudnn,
    const Version& capability,
    std::string_view dtype,
    std::string_view algorithm) const {
    const auto is_of_kind = [&](const RnnRequiredSupport& row) {
        return row.dtype == dtype && row.algorithm == algorithm;
    };
    const auto& required = rnn_required_support();
    if (std::ranges::none_of(required, is_of_kind))
        return {};
    const Version requested =
        shortened(cudnn, 3);  // package builds ("9.19.0.56") are of one version
    const bool gpu_is_named = std::ranges::any_of(cudnn_builds(), [&](const CudnnBuild& build) {
        return covers(build, requested) && build.capability_min <= capability &&
               capability <= build.capability_max;
    });
    // A GPU newer than the build is promised nothing.
    if (!gpu_is_named)
        return {outside_builds(cudnn_builds(), requested).coverage, {}};
    for (const RnnRequiredSupport& row : required)
        if (is_of_kind(row) && is_between(requested, row.first, row.last) &&
            capability >= row.capability_min)
            return known(row);
    return {};
}

std::vector<std::string> Matrix::frameworks() const {
    std::vector<std::string> names;
    for (const FrameworkBuild& build : framework_builds())
        add_once(names, build.framework);
    return names;
}

std::vector<FrameworkBuild> Matrix::framework_builds(std::string_view framework) const {
    return those(framework_builds(), [&](const FrameworkBuild& build) {
        return build.framework == framework;
    });
}

Answer<FrameworkCuda> Matrix::framework_cuda(
    std::string_view framework, const Version& version) const {
    for (const FrameworkCuda& row : framework_cuda())
        if (row.framework == framework && covers(row.first, row.last, version))
            return known(row);
    // A patch version that no row has was built like its neighbours.
    const Version minor = shortened(version, 2);
    for (const FrameworkCuda& row : framework_cuda())
        if (row.framework == framework && row.first <= minor && minor <= row.last)
            return known(row);
    return {};
}

bool may_be_of(const CudnnBuild& row, const Version& cudnn) {
    return agree(cudnn, row.cudnn) || agree(cudnn, row.last()) || covers(row, cudnn);
}

}  // namespace rnncheck
