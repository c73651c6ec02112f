#include "matrix/matrix.hpp"

#include <algorithm>

#include "matrix/tables.hpp"

namespace rnncheck {

namespace {

Version major_minor(const Version& v) {
    return make_version({v.major(), v.minor()});
}

/// Package builds ("9.19.0.56") are of one release.
Version release(const Version& v) {
    return make_version({v.parts[0], v.parts[1], v.parts[2]});
}

template <class R>
Answer<R> known(const R& row) {
    return {Coverage::known, row};
}

template <class R, class Value>
Answer<R> outside(const Value& asked, const Value& oldest, const Value& newest) {
    if (asked > newest) return {Coverage::newer_than_data, {}};
    if (asked < oldest) return {Coverage::older_than_data, {}};
    return {Coverage::silent, {}};
}

/// Rows are sorted, which the tests hold: the first and the last row are the ends of the data.
template <class R, class Value>
Answer<R> find(const std::vector<R>& rows, Value R::*column, const Value& asked) {
    for (const R& row : rows)
        if (row.*column == asked) return known(row);
    if (rows.empty()) return {};
    return outside<R>(asked, rows.front().*column, rows.back().*column);
}

const Version& last_release(const CudnnBuild& row) {
    return row.cudnn_last ? *row.cudnn_last : row.cudnn;
}

bool covers(const CudnnBuild& row, const Version& cudnn) {
    return row.cudnn <= cudnn && cudnn <= last_release(row);
}

Answer<CudnnBuild> outside_builds(const std::vector<CudnnBuild>& rows, const Version& cudnn) {
    if (rows.empty()) return {};
    Version newest = rows.front().cudnn;
    for (const CudnnBuild& row : rows) newest = std::max(newest, last_release(row));
    return outside<CudnnBuild>(cudnn, rows.front().cudnn, newest);
}

bool concerns(const RnnDefect& defect, const Version& cudnn, const std::optional<Version>& capability,
              std::string_view os) {
    if ((!defect.os.empty() && defect.os != os) || cudnn < defect.first || (defect.fixed && cudnn >= *defect.fixed))
        return false;
    if (!capability) return true;
    return (!defect.capability_min || *capability >= *defect.capability_min) &&
           (!defect.capability_max || *capability <= *defect.capability_max);
}

bool obliges(const RnnOffer& offer, const Version& cudnn, const Version& capability) {
    return offer.first <= cudnn && (!offer.last || cudnn <= *offer.last) && capability >= offer.capability_min;
}

}  // namespace

Matrix Matrix::bundled() {
    return Matrix(std::make_shared<Tables>(bundled_table_files()));
}

Matrix Matrix::from_folder(const std::string& folder) {
    auto tables = std::make_shared<Tables>(table_files_of(folder));
    tables->each([&files = tables->files](const auto& table) {
        if (!same_as_bundled(files, table.stem())) table.rows();
    });
    return Matrix(std::move(tables));
}

const std::string& Matrix::date() const {
    return tables_->files.date;
}
const std::string& Matrix::digest() const {
    return tables_->files.digest;
}

Answer<DriverForCuda> Matrix::driver_for_cuda(const Version& cuda) const {
    return find(tables_->driver_for_cuda.rows(), &DriverForCuda::cuda, major_minor(cuda));
}

Answer<CudaOfDriver> Matrix::cuda_of_driver(const Version& driver) const {
    const int branch = driver.major();
    const auto& rows = tables_->cuda_of_driver.rows();
    if (rows.empty()) return {};
    for (const CudaOfDriver& row : rows) {
        if (branch < row.branch || branch > row.last_branch) continue;
        Answer<CudaOfDriver> answer = known(row);
        if (branch != row.branch) answer.row->known = std::max(row.known, Known::inferred);
        return answer;
    }
    return outside<CudaOfDriver>(branch, rows.front().branch, rows.back().last_branch);
}

Answer<DriverForCuda> Matrix::windows_driver_for_cuda(const Version& cuda) const {
    return find(tables_->windows_driver_for_cuda.rows(), &DriverForCuda::cuda, major_minor(cuda));
}

Answer<ForwardCompatibility> Matrix::forward_compatibility(const Version& cuda, const Version& driver) const {
    const Version asked = major_minor(cuda);
    const auto& rows = tables_->forward_compatibility.rows();
    for (const ForwardCompatibility& row : rows)
        if (row.cuda == asked && row.branch == driver.major()) return known(row);
    if (rows.empty()) return {};
    return outside<ForwardCompatibility>(asked, rows.front().cuda, rows.back().cuda);
}

Answer<DriverBranch> Matrix::driver_branch(const Version& driver) const {
    return find(tables_->driver_branches.rows(), &DriverBranch::branch, driver.major());
}

const std::vector<Architecture>& Matrix::architectures() const {
    return tables_->architectures.rows();
}

Answer<Architecture> Matrix::architecture(const Version& capability) const {
    return find(tables_->architectures.rows(), &Architecture::capability, capability);
}

Answer<CudnnBuild> Matrix::cudnn_build(const Version& cudnn, int cuda_major) const {
    const Version asked = release(cudnn);
    int newest_major = 0;
    const auto& rows = tables_->cudnn_builds.rows();
    for (const CudnnBuild& row : rows) {
        if (covers(row, asked) && row.cuda_major == cuda_major) return known(row);
        newest_major = std::max(newest_major, row.cuda_major);
    }
    if (!rows.empty() && cuda_major > newest_major) return {Coverage::newer_than_data, {}};
    return outside_builds(rows, asked);
}

const std::vector<CudnnBuild>& Matrix::cudnn_builds() const {
    return tables_->cudnn_builds.rows();
}

std::vector<CudnnPart> Matrix::cudnn_parts(int major) const {
    std::vector<CudnnPart> parts;
    for (const CudnnPart& part : tables_->cudnn_parts.rows())
        if (part.major == major) parts.push_back(part);
    return parts;
}

Answer<StatusName> Matrix::status(std::string_view library, int major, std::int64_t code) const {
    const int asked = library == "cudnn" ? major : 0;
    int newest = 0;
    for (const StatusName& row : tables_->status_names.rows()) {
        if (row.library != library) continue;
        if (row.major == asked && row.code == code) return known(row);
        newest = std::max(newest, row.major);
    }
    return {asked > newest ? Coverage::newer_than_data : Coverage::silent, {}};
}

Answer<Xid> Matrix::xid(int number) const {
    return find(tables_->xid.rows(), &Xid::xid, number);
}

std::vector<RnnDefect> Matrix::rnn_defects(const Version& cudnn, std::optional<Version> capability,
                                           std::string_view os) const {
    std::vector<RnnDefect> defects;
    for (const RnnDefect& defect : tables_->rnn_defects.rows())
        if (concerns(defect, release(cudnn), capability, os)) defects.push_back(defect);
    return defects;
}

std::vector<RnnLimit> Matrix::rnn_limits(const Version& cudnn) const {
    const Version asked = release(cudnn);
    std::vector<RnnLimit> limits;
    for (const RnnLimit& limit : tables_->rnn_limits.rows())
        if (limit.first <= asked && (!limit.last || asked <= *limit.last)) limits.push_back(limit);
    return limits;
}

Answer<RnnLimit> Matrix::rnn_limit(std::string_view feature) const {
    for (const RnnLimit& row : tables_->rnn_limits.rows())
        if (row.feature == feature) return known(row);
    return {};
}

Answer<RnnOffer> Matrix::must_offer(const Version& cudnn, const Version& capability, std::string_view dtype,
                                    std::string_view algorithm) const {
    const auto& offers = tables_->rnn_offers.rows();
    const bool any_release_must = std::any_of(offers.begin(), offers.end(), [&](const RnnOffer& offer) {
        return offer.dtype == dtype && offer.algorithm == algorithm;
    });
    if (!any_release_must) return {};
    const Version asked = release(cudnn);
    const auto& builds = tables_->cudnn_builds.rows();
    const bool gpu_is_named = std::any_of(builds.begin(), builds.end(), [&](const CudnnBuild& build) {
        return covers(build, asked) && build.capability_min <= capability && capability <= build.capability_max;
    });
    if (!gpu_is_named) return {outside_builds(builds, asked).coverage, {}};
    for (const RnnOffer& offer : offers)
        if (offer.dtype == dtype && offer.algorithm == algorithm && obliges(offer, asked, capability))
            return known(offer);
    return {};
}

std::vector<std::string> Matrix::frameworks() const {
    std::vector<std::string> names;
    for (const FrameworkBuild& build : tables_->framework_builds.rows())
        if (std::find(names.begin(), names.end(), build.framework) == names.end()) names.push_back(build.framework);
    return names;
}

const std::vector<FrameworkBuild>& Matrix::framework_builds() const {
    return tables_->framework_builds.rows();
}

std::vector<FrameworkBuild> Matrix::framework_builds(std::string_view framework) const {
    std::vector<FrameworkBuild> builds;
    for (const FrameworkBuild& build : tables_->framework_builds.rows())
        if (build.framework == framework) builds.push_back(build);
    return builds;
}

const std::vector<KerasBackend>& Matrix::keras_backends() const {
    return tables_->keras_backends.rows();
}

const std::vector<LogSignature>& Matrix::log_signatures() const {
    return tables_->log_signatures.rows();
}

const std::vector<LogPointer>& Matrix::log_pointers() const {
    return tables_->log_pointers.rows();
}

const std::vector<LogCause>& Matrix::log_causes() const {
    return tables_->log_causes.rows();
}

Answer<FrameworkCuda> Matrix::framework_cuda(std::string_view framework, const Version& release) const {
    const Version asked = major_minor(release);
    for (const FrameworkCuda& row : tables_->framework_cuda.rows())
        if (row.framework == framework && row.first <= asked && asked <= row.last) return known(row);
    return {};
}

}  // namespace rnncheck
