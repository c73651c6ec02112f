// What the table of GPUs' names answers.
#include <algorithm>
#include <functional>

#include "matrix/gpu_name.hpp"
#include "matrix/tables.hpp"

namespace rnncheck {

namespace {

std::vector<GpuProduct> products_fitting(const std::vector<GpuProduct>& rows, const GpuName& name) {
    std::vector<GpuProduct> products;
    for (const GpuProduct& row : rows)
        if (may_mean(name, gpu_name(row.name))) products.push_back(row);
    return products;
}

bool has_shorter_name(const GpuProduct& a, const GpuProduct& b) {
    return a.name.size() < b.name.size();
}

}  // namespace

const std::vector<GpuProduct>& Matrix::gpu_products() const {
    return tables_->gpu_products.rows();
}

std::vector<GpuProduct> Matrix::gpu_products_named(std::string_view written) const {
    const GpuName name = gpu_name(written);
    std::vector<GpuProduct> products = products_fitting(gpu_products(), name);
    return products.empty() ? products_fitting(gpu_products(), without_line(name)) : products;
}

Answer<GpuProduct> Matrix::gpu_product(std::string_view written) const {
    const std::vector<GpuProduct> products = gpu_products_named(written);
    if (products.empty()) return {};
    const auto same_capability = [&](const GpuProduct& product) {
        return product.capability == products.front().capability;
    };
    if (!std::all_of(products.begin(), products.end(), same_capability)) return {};
    GpuProduct plainest = *std::min_element(products.begin(), products.end(), has_shorter_name);
    plainest.data_center = std::all_of(products.begin(), products.end(), std::mem_fn(&GpuProduct::data_center));
    return {Coverage::known, std::move(plainest)};
}

}  // namespace rnncheck
