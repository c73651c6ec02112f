#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "matrix/targets.hpp"
#include "matrix/verify_parts.hpp"

namespace rnncheck::verifying {

namespace {

struct Everything {
    explicit Everything(const TableFiles& files)
        : toolkits(read<DriverForCuda>(files, "driver_for_cuda")),
          drivers(read<CudaOfDriver>(files, "cuda_of_driver")),
          packages(read<ForwardCompatibility>(files, "forward_compatibility")),
          architectures(read<Architecture>(files, "architectures")),
          cudnns(read<CudnnBuild>(files, "cudnn_builds")),
          products(read<GpuProduct>(files, "gpu_products")),
          builds(read<FrameworkBuild>(files, "framework_builds")),
          keras(read<KerasBackend>(files, "keras_backends")) {}

    Readable<DriverForCuda> toolkits;
    Readable<CudaOfDriver> drivers;
    Readable<ForwardCompatibility> packages;
    Readable<Architecture> architectures;
    Readable<CudnnBuild> cudnns;
    Readable<GpuProduct> products;
    Readable<FrameworkBuild> builds;
    Readable<KerasBackend> keras;
};

const DriverForCuda* toolkit(const Everything& all, const Version& cuda) {
    for (const auto& row : all.toolkits.rows)
        if (agree(row.cuda, cuda)) return &row;
    return nullptr;
}

const CudaOfDriver* driver(const Everything& all, int branch) {
    for (const auto& row : all.drivers.rows)
        if (row.branch <= branch && branch <= row.last_branch) return &row;
    return nullptr;
}

const Architecture* architecture(const Everything& all, const Version& capability) {
    for (const auto& row : all.architectures.rows)
        if (row.capability == capability) return &row;
    return nullptr;
}

void toolkit_is_known(const Everything& all, const Version& cuda, std::size_t number, const Complaints& complain) {
    if (!is_whole(all.toolkits) || cuda < all.toolkits.rows.front().cuda) return;
    if (!toolkit(all, cuda) && !all.toolkits.head.holes.contains(cuda.text))
        complain(number, "driver_for_cuda does not know CUDA " + cuda.text + "; correct it or add its row there");
}

void capability_is_known(const Everything& all, const Version& capability, std::size_t number,
                         const Complaints& complain) {
    if (!is_whole(all.architectures) || capability < all.architectures.rows.front().capability) return;
    if (!architecture(all, capability))
        complain(number,
                 "architectures does not know capability " + capability.text + "; correct it or add its row there");
}

/// A driver named with its branch alone is compared by branch.
bool is_older(const Version& driver_named, const Version& oldest) {
    return driver_named < oldest && !(parts_written(driver_named) == 1 && driver_named.major() == oldest.major());
}

void check_toolkits(const Everything& all, const Complaints& complain) {
    if (!is_whole(all.drivers)) return;
    for (std::size_t i = 0; i < all.toolkits.rows.size(); ++i) {
        const DriverForCuda& row = all.toolkits.rows[i];
        const int branch = row.full_driver.major();
        const CudaOfDriver* of_driver = driver(all, branch);
        if (!of_driver)
            complain(all.toolkits.numbers[i], "cuda_of_driver does not know branch " + std::to_string(branch) +
                                                  "; correct full_driver or add the branch there");
        else if (of_driver->cuda != row.cuda)
            complain(all.toolkits.numbers[i], "full_driver " + row.full_driver.text + " is for CUDA " + row.cuda.text +
                                                  " here, but cuda_of_driver says that branch " +
                                                  std::to_string(branch) + " ends with CUDA " + of_driver->cuda.text);
    }
}

void check_drivers(const Everything& all, const Complaints& complain) {
    for (std::size_t i = 0; i < all.drivers.rows.size(); ++i)
        toolkit_is_known(all, all.drivers.rows[i].cuda, all.drivers.numbers[i], complain);
}

void check_packages(const Everything& all, const Complaints& complain) {
    for (std::size_t i = 0; i < all.packages.rows.size(); ++i) {
        const ForwardCompatibility& row = all.packages.rows[i];
        capability_is_known(all, row.capability_min, all.packages.numbers[i], complain);
        if (!is_whole(all.drivers)) continue;
        const CudaOfDriver* below = driver(all, row.branch);
        if (!below || below->cuda >= row.cuda)
            complain(all.packages.numbers[i],
                     "branch " + std::to_string(row.branch) +
                         (below ? " runs CUDA " + row.cuda.text + " by itself (cuda_of_driver); take the row away"
                                : " is not known to cuda_of_driver; correct it or add it there"));
    }
}

void check_architecture(const Everything& all, const Architecture& row, std::size_t number,
                        const Complaints& complain) {
    toolkit_is_known(all, row.first_cuda, number, complain);
    if (row.last_cuda) toolkit_is_known(all, *row.last_cuda, number, complain);
    if (!row.last_driver_branch || !is_whole(all.drivers)) return;
    const CudaOfDriver* last = driver(all, *row.last_driver_branch);
    if (!last)
        complain(number, "cuda_of_driver does not know branch " + std::to_string(*row.last_driver_branch));
    else if (row.last_cuda && last->cuda.major() < row.last_cuda->major())
        complain(number, "the last driver branch " + std::to_string(*row.last_driver_branch) + " ends with CUDA " +
                             last->cuda.text + ", so CUDA " + row.last_cuda->text + " cannot run on such a GPU; " +
                             "correct last_cuda or last_driver_branch");
}

void check_capabilities(const Everything& all, const CudnnBuild& row, std::size_t number, const Complaints& complain) {
    capability_is_known(all, row.capability_min, number, complain);
    capability_is_known(all, row.capability_max, number, complain);
    const Version of_major = make_version({row.cuda_major});
    const Architecture* newest = architecture(all, row.capability_max);
    if (newest && !within(newest->first_cuda, row.cuda_max.value_or(of_major)))
        complain(number,
                 "capability " + row.capability_max.text + " begins with CUDA " + newest->first_cuda.text +
                     " (architectures), later than the toolkits named here; lower capability_max or raise cuda_max");
    const Architecture* oldest = architecture(all, row.capability_min);
    if (oldest && oldest->last_cuda && *oldest->last_cuda < row.cuda_min.value_or(of_major))
        complain(number, "capability " + row.capability_min.text + " ends with CUDA " + oldest->last_cuda->text +
                             " (architectures), earlier than the toolkits named here; raise capability_min");
}

void check_driver_min(const Everything& all, const std::optional<Version>& driver_min, const Version& cuda,
                      std::size_t number, const Complaints& complain) {
    const DriverForCuda* row = toolkit(all, cuda);
    if (row && driver_min && is_older(*driver_min, row->oldest_driver))
        complain(number, "driver_min " + driver_min->text + " does not run CUDA " + cuda.text + ", which needs " +
                             row->oldest_driver.text + " (driver_for_cuda); correct one of them");
}

void check_cudnns(const Everything& all, const Complaints& complain) {
    for (std::size_t i = 0; i < all.cudnns.rows.size(); ++i) {
        const CudnnBuild& row = all.cudnns.rows[i];
        const std::size_t number = all.cudnns.numbers[i];
        check_capabilities(all, row, number, complain);
        for (const auto& cuda : {row.cuda_min, row.cuda_max})
            if (cuda) toolkit_is_known(all, *cuda, number, complain);
        if (row.cuda_min) check_driver_min(all, row.driver_min, *row.cuda_min, number, complain);
    }
}

/// Whether some release that the text means (8.1 is any 8.1.x) is of this row.
bool may_be_of(const CudnnBuild& row, const Version& cudnn) {
    const Version& last = row.cudnn_last.value_or(row.cudnn);
    return agree(cudnn, row.cudnn) || agree(cudnn, last) || (row.cudnn <= cudnn && cudnn <= last);
}

void check_pair(const Everything& all, const FrameworkBuild& build, std::size_t number, const Complaints& complain) {
    if (!build.cudnn || !build.cuda || !is_whole(all.cudnns)) return;
    const auto& rows = all.cudnns.rows;
    const std::string cudnn = "cuDNN " + build.cudnn->text;
    const auto suits = [&](const CudnnBuild& row) {
        return may_be_of(row, *build.cudnn) && row.cuda_major == build.cuda->major();
    };
    if (*build.cudnn < rows.front().cudnn && !agree(*build.cudnn, rows.front().cudnn)) return;  // older than that table
    if (std::none_of(rows.begin(), rows.end(), suits))
        return complain(number, "cudnn_builds knows no " + cudnn + " for CUDA " + std::to_string(build.cuda->major()) +
                                    "; correct the pair or add that build there");
    const bool late_enough = std::any_of(rows.begin(), rows.end(), [&](const CudnnBuild& row) {
        return suits(row) && (!row.cuda_min || *row.cuda_min <= *build.cuda);
    });
    if (!late_enough)
        complain(number, cudnn + " begins with a later toolkit than CUDA " + build.cuda->text + " (cudnn_builds)");
}

void check_targets(const Everything& all, const FrameworkBuild& build, std::size_t number, const Complaints& complain) {
    if (!build.cuda) return;
    for (const Target& target : targets_of(build.targets)) {
        const Architecture* row = architecture(all, target.capability);
        if (!row)
            capability_is_known(all, target.capability, number, complain);
        else if (row->first_cuda > *build.cuda || (row->last_cuda && *row->last_cuda < *build.cuda))
            complain(number, "CUDA " + build.cuda->text + " cannot compile for " + target.capability.text +
                                 " (architectures); correct 'targets' or 'cuda'");
    }
}

void check_builds(const Everything& all, const Complaints& complain) {
    for (std::size_t i = 0; i < all.builds.rows.size(); ++i) {
        const FrameworkBuild& build = all.builds.rows[i];
        const std::size_t number = all.builds.numbers[i];
        if (!build.cuda) continue;
        toolkit_is_known(all, *build.cuda, number, complain);
        check_pair(all, build, number, complain);
        check_targets(all, build, number, complain);
        if (build.os == "linux") check_driver_min(all, build.driver_min, *build.cuda, number, complain);
    }
}

/// One name on chips of different capability is a mistake unless each row says that it is meant.
void check_name(const Readable<GpuProduct>& products, std::size_t i, const Complaints& complain) {
    const GpuProduct& here = products.rows[i];
    if (!here.note.empty()) return;
    for (const GpuProduct& other : products.rows)
        if (other.name == here.name && other.capability != here.capability)
            return complain(products.numbers[i], "'" + here.name + "' has capability " + here.capability.text +
                                                     " here and " + other.capability.text +
                                                     " in another row; correct one, or say in each note that the name "
                                                     "is on different chips");
}

void check_products(const Everything& all, const Complaints& complain) {
    for (std::size_t i = 0; i < all.products.rows.size(); ++i) {
        capability_is_known(all, all.products.rows[i].capability, all.products.numbers[i], complain);
        check_name(all.products, i, complain);
    }
}

void check_keras(const Everything& all, const Complaints& complain) {
    if (!is_whole(all.builds)) return;
    std::set<std::string> frameworks;
    for (const FrameworkBuild& build : all.builds.rows) frameworks.insert(build.framework);
    for (std::size_t i = 0; i < all.keras.rows.size(); ++i)
        if (!frameworks.contains(all.keras.rows[i].backend))
            complain(all.keras.numbers[i], "framework_builds has no '" + all.keras.rows[i].backend +
                                               "'; correct the backend's name or add its builds there");
}

}  // namespace

void check_across(const TableFiles& files, std::vector<Complaint>& all) {
    const Everything tables(files);
    check_toolkits(tables, {all, tables.toolkits.stem});
    check_drivers(tables, {all, tables.drivers.stem});
    check_packages(tables, {all, tables.packages.stem});
    const Complaints about_architectures(all, tables.architectures.stem);
    for (std::size_t i = 0; i < tables.architectures.rows.size(); ++i)
        check_architecture(tables, tables.architectures.rows[i], tables.architectures.numbers[i], about_architectures);
    check_cudnns(tables, {all, tables.cudnns.stem});
    check_products(tables, {all, tables.products.stem});
    check_builds(tables, {all, tables.builds.stem});
    check_keras(tables, {all, tables.keras.stem});
    check_rnn(files, all);
    check_frameworks(files, all);
    check_logs(files, all);
}

}  // namespace rnncheck::verifying
