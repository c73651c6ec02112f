// The tables behind a Matrix: each parsed by the first question to it, at most once.
#pragma once

#include "matrix/matrix.hpp"
#include "matrix/table_file.hpp"
#include "matrix/table_reader.hpp"

namespace rnncheck {

template <class R>
class Table {
  public:
    Table(const TableFiles& files, std::string stem) : files_(files), stem_(std::move(stem)) {}

    const std::string& stem() const { return stem_; }

    const std::vector<R>& rows() const {
        if (!rows_) rows_ = read_table<R>(files_, stem_);
        return *rows_;
    }

  private:
    const TableFiles& files_;
    std::string stem_;
    mutable std::optional<std::vector<R>> rows_;
};

struct Matrix::Tables {
    explicit Tables(TableFiles table_files) : files(std::move(table_files)) {}
    Tables(const Tables&) = delete;  // the tables below point to `files`
    Tables& operator=(const Tables&) = delete;

    TableFiles files;
    Table<DriverForCuda> driver_for_cuda{files, "driver_for_cuda"};
    Table<CudaOfDriver> cuda_of_driver{files, "cuda_of_driver"};
    Table<DriverForCuda> windows_driver_for_cuda{files, "windows_driver_for_cuda"};
    Table<ForwardCompatibility> forward_compatibility{files, "forward_compatibility"};
    Table<DriverBranch> driver_branches{files, "driver_branches"};
    Table<Architecture> architectures{files, "architectures"};
    Table<CudnnBuild> cudnn_builds{files, "cudnn_builds"};
    Table<CudnnPart> cudnn_parts{files, "cudnn_parts"};
    Table<StatusName> status_names{files, "status_names"};
    Table<Xid> xid{files, "xid"};
    Table<RnnDefect> rnn_defects{files, "rnn_defects"};
    Table<RnnOffer> rnn_offers{files, "rnn_offers"};
    Table<RnnLimit> rnn_limits{files, "rnn_limits"};
    Table<GpuProduct> gpu_products{files, "gpu_products"};
    Table<FrameworkBuild> framework_builds{files, "framework_builds"};
    Table<KerasBackend> keras_backends{files, "keras_backends"};
    Table<LogSignature> log_signatures{files, "log_signatures"};
    Table<LogPointer> log_pointers{files, "log_pointers"};
    Table<LogCause> log_causes{files, "log_causes"};
    Table<FrameworkCuda> framework_cuda{files, "framework_cuda"};

    /// visit(table) for every table.
    template <class Visit>
    void each(Visit&& visit) const {
        visit(driver_for_cuda);
        visit(cuda_of_driver);
        visit(windows_driver_for_cuda);
        visit(forward_compatibility);
        visit(driver_branches);
        visit(architectures);
        visit(cudnn_builds);
        visit(cudnn_parts);
        visit(status_names);
        visit(xid);
        visit(rnn_defects);
        visit(rnn_offers);
        visit(rnn_limits);
        visit(gpu_products);
        visit(framework_builds);
        visit(keras_backends);
        visit(log_signatures);
        visit(log_pointers);
        visit(log_causes);
        visit(framework_cuda);
    }
};

}  // namespace rnncheck
