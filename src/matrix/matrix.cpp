#include "matrix/matrix.hpp"

namespace rnncheck {
// PLACEHOLDER until the tables land: every question is silent.
struct Matrix::Tables { std::string date, digest; };
Matrix Matrix::bundled() { return Matrix(std::make_shared<Tables>()); }
Matrix Matrix::from_folder(const std::string&) { return bundled(); }
const std::string& Matrix::date() const { return tables_->date; }
const std::string& Matrix::digest() const { return tables_->digest; }
Answer<DriverForCuda> Matrix::driver_for_cuda(const Version&) const { return {}; }
Answer<CudaOfDriver> Matrix::cuda_of_driver(const Version&) const { return {}; }
Answer<Architecture> Matrix::architecture(const Version&) const { return {}; }
Answer<CudnnBuild> Matrix::cudnn_build(const Version&, int) const { return {}; }
std::vector<CudnnPart> Matrix::cudnn_parts(int) const { return {}; }
Answer<StatusName> Matrix::status(std::string_view, int, std::int64_t) const { return {}; }
std::vector<RnnDefect> Matrix::rnn_defects(const Version&, std::optional<Version>) const { return {}; }
Answer<RnnOffer> Matrix::must_offer(const Version&, const Version&, std::string_view, std::string_view) const { return {}; }
}  // namespace rnncheck
