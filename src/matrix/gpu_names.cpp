// Names of GPUs as people and drivers write them, and the products that they may mean.

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "matrix/matrix.hpp"
#include "matrix/tables.hpp"

namespace rnncheck {

namespace {

/// A name taken apart. Vendor, memory size, form factor, "Laptop GPU" and "Max-Q" are left out:
/// they never change the compute capability. "Ti", "SUPER", "M" and the like belong to the model.
struct GpuName {
    std::string model;  ///< "3090ti", "k80", "titanx", "orinnano"; empty: no name of a GPU
    std::set<std::string>
        extra;  ///< "geforce", "rtx", "jetson", "blackwell": people leave them out
};

using Words = std::vector<std::string>;

const std::set<std::string> extras = {
    "geforce",
    "quadro",
    "tesla",
    "gtx",
    "rtx",
    "gt",
    "jetson",
    "grid",
    "pro",
    "agx",
    "nvs",
    "ada",
    "blackwell",
    "lovelace",
    "generation",
    "edition",
    "workstation",
    "server",
    "pascal"};
/// Of two words: "Max-Q".
const std::set<std::string> decorations = {
    "nvidia", "corporation", "r",         "tm",   "gpu",    "graphics", "card",  "nvgpu",
    "laptop", "notebook",    "mobile",    "with", "max",    "q",        "maxq",  "design",
    "dgx",    "hgx",         "sxm",       "pcie", "nvl",    "dgxs",     "fhhl",  "hbm2",
    "hbm2e",  "hbm3",        "hbm3e",     "mig",  "gb",     "gib",      "lhr",   "oem",
    "gddr5",  "ddr4",        "developer", "kit",  "devkit", "embedded", "module"};

/// In small letters, parted at everything that is no letter or digit.
Words words_of(std::string_view written) {
    std::string text = lower(written);
    std::ranges::replace_if(text, std::not_fn(is_letter_or_digit), ' ');
    Words words = split(text, ' ');
    std::erase(words, "");
    return words;
}

/// Length of a brand that is written together with what follows: "rtx" of "rtx3090", "gt" of
/// "gt1030".
std::size_t brand_prefix_length(std::string_view word) {
    for (const std::string_view brand :
         {"nvidia", "geforce", "quadro", "tesla", "jetson", "gtx", "rtx", "agx"})
        if (word.size() > brand.size() && word.starts_with(brand))
            return brand.size();
    for (const std::string_view brand : {"gt", "pro", "nvs"})
        if (word.size() > brand.size() && word.starts_with(brand) && is_digit(word[brand.size()]))
            return brand.size();
    return 0;
}

/// "quadrortx6000ada" into its words.
Words unglued(const Words& glued) {
    constexpr std::string_view ada = "ada";
    Words words;
    for (std::string_view word : glued) {
        for (std::size_t length; (length = brand_prefix_length(word)) > 0;
             word.remove_prefix(length))
            words.emplace_back(word.substr(0, length));
        const bool glued_ada =
            word.size() > ada.size() && word.ends_with(ada) && is_digit(*(word.rbegin() + 3));
        if (glued_ada)
            word.remove_suffix(ada.size());
        words.emplace_back(word);
        if (glued_ada)
            words.emplace_back(ada);
    }
    return words;
}

/// "24gb", "80g", "1g" (a slice of a GPU).
bool is_size(std::string_view word) {
    const std::string_view digits = word.substr(0, word.find_first_not_of("0123456789"));
    const std::string_view unit = word.substr(digits.size());
    return is_number(digits) && (unit == "gb" || unit == "gib" || unit == "g");
}

/// "sxm4", "nvl72".
bool is_form_factor(std::string_view word) {
    return (word.starts_with("sxm") || word.starts_with("nvl")) && is_number(word.substr(3));
}

/// A word that distinguishes products for buyers, but not their chips.
bool is_decoration(const Words& words, std::size_t at) {
    constexpr std::size_t longest_size = 3;
    const bool before_unit =
        at > 0 && at + 1 < words.size() && (words[at + 1] == "gb" || words[at + 1] == "gib");
    if (before_unit && is_number(words[at]) && words[at].size() <= longest_size)
        return true;
    const bool unit =
        words[at] == "gb" && (at == 0 || !is_number(words[at - 1]));  // "GB 200" is a product
    return !unit &&
           (decorations.contains(words[at]) || is_size(words[at]) || is_form_factor(words[at]));
}

/// Case, spaces, hyphens and marks make no difference: "rtx3090" is "RTX 3090".
GpuName gpu_name(std::string_view written) {
    const Words words = unglued(words_of(written));
    GpuName name;
    for (std::size_t at = 0; at < words.size(); ++at) {
        if (is_decoration(words, at))
            continue;
        if (extras.contains(words[at]))
            name.extra.insert(words[at]);
        else
            name.model += words[at];
    }
    return name;
}

/// The products that have the model and everything else that was written.
std::vector<GpuProduct> products_of(const std::vector<GpuProduct>& all, const GpuName& name) {
    if (name.model.empty())
        return {};
    std::vector<GpuProduct> products;
    std::ranges::copy_if(all, std::back_inserter(products), [&](const GpuProduct& row) {
        const GpuName product = gpu_name(row.name);
        return name.model == product.model && std::ranges::includes(product.extra, name.extra);
    });
    return products;
}

}  // namespace

const std::vector<GpuProduct>& Matrix::gpu_products_named(std::string_view written) const {
    if (const auto* known = look_up(tables_->products_named, written))
        return *known;
    GpuName name = gpu_name(written);
    std::vector<GpuProduct> products = products_of(gpu_products(), name);
    if (products.empty()) {  // people mix up the product lines: there is no "Tesla A100"
        for (const char* line : {"geforce", "quadro", "tesla"})
            name.extra.erase(line);
        products = products_of(gpu_products(), name);
    }
    return tables_->products_named.emplace(written, std::move(products)).first->second;
}

Answer<GpuProduct> Matrix::gpu_product(std::string_view written) const {
    const std::vector<GpuProduct>& products = gpu_products_named(written);
    if (products.empty())
        return {};
    if (std::ranges::adjacent_find(products, std::not_equal_to(), &GpuProduct::capability) !=
        products.end())
        return {};
    GpuProduct plainest =
        *std::ranges::min_element(products, {}, [](const auto& row) { return row.name.size(); });
    plainest.data_center = std::ranges::all_of(products, &GpuProduct::data_center);
    return {Coverage::known, std::move(plainest)};
}

}  // namespace rnncheck
