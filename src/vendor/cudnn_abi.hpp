// The functions of libcudnn that we call, in groups by the majors that export
// them. Handles are never looked into, enumerations travel as int. One list
// serves cuDNN 7 to 9; tests/abi compares it with the real headers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vendor/cuda_abi.hpp"

namespace rnncheck::vendor {

using CudnnHandle = struct OpaqueCudnnHandle*;
using RnnDescriptor = struct OpaqueRnnDescriptor*;
using RnnDataDescriptor = struct OpaqueRnnDataDescriptor*;
using TensorDescriptor = struct OpaqueTensorDescriptor*;
using FilterDescriptor = struct OpaqueFilterDescriptor*;
using DropoutDescriptor = struct OpaqueDropoutDescriptor*;
using PersistentPlan = struct OpaquePersistentPlan*;
using CudnnDebug = struct OpaqueCudnnDebug;
using CudnnCallback = void (*)(int, void*, const CudnnDebug*, const char*);

/// cuDNN 7, 8 and 9. A few came with a minor version and may be missing: test the symbol.
#define RNNCHECK_CUDNN_EVERYWHERE(X)                                                         \
    X(cudnnGetVersion, std::size_t, ())                                                      \
    X(cudnnGetCudartVersion, std::size_t, ())                                                \
    X(cudnnGetErrorString, const char*, (int))                                               \
    X(cudnnSetCallback, int, (unsigned, void*, CudnnCallback))                               \
    X(cudnnCreate, int, (CudnnHandle*))                                                      \
    X(cudnnCreateRNNDescriptor, int, (RnnDescriptor*))                                       \
    X(cudnnCreateRNNDataDescriptor, int, (RnnDataDescriptor*))                               \
    X(cudnnSetRNNDataDescriptor,                                                             \
      int,                                                                                   \
      (RnnDataDescriptor, int, int, int, int, int, const int*, void*))                       \
    X(cudnnCreateTensorDescriptor, int, (TensorDescriptor*))                                 \
    X(cudnnSetTensorNdDescriptor, int, (TensorDescriptor, int, int, const int*, const int*)) \
    X(cudnnGetTensorNdDescriptor, int, (TensorDescriptor, int, int*, int*, int*, int*))      \
    X(cudnnCreateDropoutDescriptor, int, (DropoutDescriptor*))                               \
    X(cudnnDropoutGetStatesSize, int, (CudnnHandle, std::size_t*))                           \
    X(cudnnSetDropoutDescriptor,                                                             \
      int,                                                                                   \
      (DropoutDescriptor, CudnnHandle, float, void*, std::size_t, unsigned long long))       \
    X(cudnnCreateFilterDescriptor, int, (FilterDescriptor*))                                 \
    X(cudnnSetFilterNdDescriptor, int, (FilterDescriptor, int, int, int, const int*))        \
    X(cudnnGetFilterNdDescriptor, int, (FilterDescriptor, int, int*, int*, int*, int*))      \
    X(cudnnDestroyRNNDescriptor, int, (RnnDescriptor))                                       \
    X(cudnnDestroyRNNDataDescriptor, int, (RnnDataDescriptor))                               \
    X(cudnnDestroyTensorDescriptor, int, (TensorDescriptor))                                 \
    X(cudnnDestroyFilterDescriptor, int, (FilterDescriptor))                                 \
    X(cudnnDestroyDropoutDescriptor, int, (DropoutDescriptor))

/// The legacy RNN interface: cuDNN 7 and 8.
#define RNNCHECK_CUDNN_LEGACY(X)                                                          \
    X(cudnnSetRNNDescriptor_v6,                                                           \
      int,                                                                                \
      (CudnnHandle, RnnDescriptor, int, int, DropoutDescriptor, int, int, int, int, int)) \
    X(cudnnSetRNNMatrixMathType, int, (RnnDescriptor, int))                               \
    X(cudnnSetRNNPaddingMode, int, (RnnDescriptor, unsigned))                             \
    X(cudnnGetRNNParamsSize,                                                              \
      int,                                                                                \
      (CudnnHandle, RnnDescriptor, TensorDescriptor, std::size_t*, int))                  \
    X(cudnnGetRNNWorkspaceSize,                                                           \
      int,                                                                                \
      (CudnnHandle, RnnDescriptor, int, const TensorDescriptor*, std::size_t*))           \
    X(cudnnGetRNNLinLayerMatrixParams,                                                    \
      int,                                                                                \
      (CudnnHandle,                                                                       \
       RnnDescriptor,                                                                     \
       int,                                                                               \
       TensorDescriptor,                                                                  \
       FilterDescriptor,                                                                  \
       const void*,                                                                       \
       int,                                                                               \
       FilterDescriptor,                                                                  \
       void**))                                                                           \
    X(cudnnGetRNNLinLayerBiasParams,                                                      \
      int,                                                                                \
      (CudnnHandle,                                                                       \
       RnnDescriptor,                                                                     \
       int,                                                                               \
       TensorDescriptor,                                                                  \
       FilterDescriptor,                                                                  \
       const void*,                                                                       \
       int,                                                                               \
       FilterDescriptor,                                                                  \
       void**))                                                                           \
    X(cudnnSetRNNBiasMode, int, (RnnDescriptor, int))                                     \
    X(cudnnSetRNNProjectionLayers, int, (CudnnHandle, RnnDescriptor, int, int))           \
    X(cudnnRNNSetClip, int, (CudnnHandle, RnnDescriptor, int, int, double, double))       \
    X(cudnnGetRNNTrainingReserveSize,                                                     \
      int,                                                                                \
      (CudnnHandle, RnnDescriptor, int, const TensorDescriptor*, std::size_t*))           \
    X(cudnnCreatePersistentRNNPlan, int, (RnnDescriptor, int, int, PersistentPlan*))      \
    X(cudnnSetPersistentRNNPlan, int, (RnnDescriptor, PersistentPlan))                    \
    X(cudnnRNNForwardInference,                                                           \
      int,                                                                                \
      (CudnnHandle,                                                                       \
       RnnDescriptor,                                                                     \
       int,                                                                               \
       const TensorDescriptor*,                                                           \
       const void*,                                                                       \
       TensorDescriptor,                                                                  \
       const void*,                                                                       \
       TensorDescriptor,                                                                  \
       const void*,                                                                       \
       FilterDescriptor,                                                                  \
       const void*,                                                                       \
       const TensorDescriptor*,                                                           \
       void*,                                                                             \
       TensorDescriptor,                                                                  \
       void*,                                                                             \
       TensorDescriptor,                                                                  \
       void*,                                                                             \
       void*,                                                                             \
       std::size_t))                                                                      \
    X(cudnnRNNForwardTraining,                                                            \
      int,                                                                                \
      (CudnnHandle,                                                                       \
       RnnDescriptor,                                                                     \
       int,                                                                               \
       const TensorDescriptor*,                                                           \
       const void*,                                                                       \
       TensorDescriptor,                                                                  \
       const void*,                                                                       \
       TensorDescriptor,                                                                  \
       const void*,                                                                       \
       FilterDescriptor,                                                                  \
       const void*,                                                                       \
       const TensorDescriptor*,                                                           \
       void*,                                                                             \
       TensorDescriptor,                                                                  \
       void*,                                                                             \
       TensorDescriptor,                                                                  \
       void*,                                                                             \
       void*,                                                                             \
       std::size_t,                                                                       \
       void*,                                                                             \
       std::size_t))                                                                      \
    X(cudnnRNNBackwardData,                                                               \
      int,                                                                                \
      (CudnnHandle,                                                                       \
       RnnDescriptor,                                                                     \
       int,                                                                               \
       const TensorDescriptor*,                                                           \
       const void*,                                                                       \
       const TensorDescriptor*,                                                           \
       const void*,                                                                       \
       TensorDescriptor,                                                                  \
       const void*,                                                                       \
       TensorDescriptor,                                                                  \
       const void*,                                                                       \
       FilterDescriptor,                                                                  \
       const void*,                                                                       \
       TensorDescriptor,                                                                  \
       const void*,                                                                       \
       TensorDescriptor,                                                                  \
       const void*,                                                                       \
       const TensorDescriptor*,                                                           \
       void*,                                                                             \
       TensorDescriptor,                                                                  \
       void*,                                                                             \
       TensorDescriptor,                                                                  \
       void*,                                                                             \
       void*,                                                                             \
       std::size_t,                                                                       \
       void*,                                                                             \
       std::size_t))                                                                      \
    X(cudnnRNNBackwardWeights,                                                            \
      int,                                                                                \
      (CudnnHandle,                                                                       \
       RnnDescriptor,                                                                     \
       int,                                                                               \
       const TensorDescriptor*,                                                           \
       const void*,                                                                       \
       TensorDescriptor,                                                                  \
       const void*,                                                                       \
       const TensorDescriptor*,                                                           \
       const void*,                                                                       \
       const void*,                                                                       \
       std::size_t,                                                                       \
       FilterDescriptor,                                                                  \
       void*,                                                                             \
       const void*,                                                                       \
       std::size_t))                                                                      \
    X(cudnnRNNForwardInferenceEx,                                                         \
      int,                                                                                \
      (CudnnHandle,                                                                       \
       RnnDescriptor,                                                                     \
       RnnDataDescriptor,                                                                 \
       const void*,                                                                       \
       TensorDescriptor,                                                                  \
       const void*,                                                                       \
       TensorDescriptor,                                                                  \
       const void*,                                                                       \
       FilterDescriptor,                                                                  \
       const void*,                                                                       \
       RnnDataDescriptor,                                                                 \
       void*,                                                                             \
       TensorDescriptor,                                                                  \
       void*,                                                                             \
       TensorDescriptor,                                                                  \
       void*,                                                                             \
       RnnDataDescriptor,                                                                 \
       const void*,                                                                       \
       RnnDataDescriptor,                                                                 \
       void*,                                                                             \
       RnnDataDescriptor,                                                                 \
       void*,                                                                             \
       RnnDataDescriptor,                                                                 \
       void*,                                                                             \
       void*,                                                                             \
       std::size_t))

/// The v8 RNN interface: cuDNN 8 and 9.
#define RNNCHECK_CUDNN_V8(X)                                                            \
    X(cudnnSetRNNDescriptor_v8,                                                         \
      int,                                                                              \
      (RnnDescriptor,                                                                   \
       int,                                                                             \
       int,                                                                             \
       int,                                                                             \
       int,                                                                             \
       int,                                                                             \
       int,                                                                             \
       int,                                                                             \
       int,                                                                             \
       std::int32_t,                                                                    \
       std::int32_t,                                                                    \
       std::int32_t,                                                                    \
       std::int32_t,                                                                    \
       DropoutDescriptor,                                                               \
       std::uint32_t))                                                                  \
    X(cudnnGetRNNWeightSpaceSize, int, (CudnnHandle, RnnDescriptor, std::size_t*))      \
    X(cudnnGetRNNTempSpaceSizes,                                                        \
      int,                                                                              \
      (CudnnHandle, RnnDescriptor, int, RnnDataDescriptor, std::size_t*, std::size_t*)) \
    X(cudnnGetRNNWeightParams,                                                          \
      int,                                                                              \
      (CudnnHandle,                                                                     \
       RnnDescriptor,                                                                   \
       std::int32_t,                                                                    \
       std::size_t,                                                                     \
       const void*,                                                                     \
       std::int32_t,                                                                    \
       TensorDescriptor,                                                                \
       void**,                                                                          \
       TensorDescriptor,                                                                \
       void**))                                                                         \
    X(cudnnBuildRNNDynamic, int, (CudnnHandle, RnnDescriptor, int))                     \
    X(cudnnRNNForward,                                                                  \
      int,                                                                              \
      (CudnnHandle,                                                                     \
       RnnDescriptor,                                                                   \
       int,                                                                             \
       const std::int32_t*,                                                             \
       RnnDataDescriptor,                                                               \
       const void*,                                                                     \
       RnnDataDescriptor,                                                               \
       void*,                                                                           \
       TensorDescriptor,                                                                \
       const void*,                                                                     \
       void*,                                                                           \
       TensorDescriptor,                                                                \
       const void*,                                                                     \
       void*,                                                                           \
       std::size_t,                                                                     \
       const void*,                                                                     \
       std::size_t,                                                                     \
       void*,                                                                           \
       std::size_t,                                                                     \
       void*))                                                                          \
    X(cudnnRNNSetClip_v8, int, (RnnDescriptor, int, int, double, double))               \
    X(cudnnRNNBackwardData_v8,                                                          \
      int,                                                                              \
      (CudnnHandle,                                                                     \
       RnnDescriptor,                                                                   \
       const std::int32_t*,                                                             \
       RnnDataDescriptor,                                                               \
       const void*,                                                                     \
       const void*,                                                                     \
       RnnDataDescriptor,                                                               \
       void*,                                                                           \
       TensorDescriptor,                                                                \
       const void*,                                                                     \
       const void*,                                                                     \
       void*,                                                                           \
       TensorDescriptor,                                                                \
       const void*,                                                                     \
       const void*,                                                                     \
       void*,                                                                           \
       std::size_t,                                                                     \
       const void*,                                                                     \
       std::size_t,                                                                     \
       void*,                                                                           \
       std::size_t,                                                                     \
       void*))                                                                          \
    X(cudnnRNNBackwardWeights_v8,                                                       \
      int,                                                                              \
      (CudnnHandle,                                                                     \
       RnnDescriptor,                                                                   \
       int,                                                                             \
       const std::int32_t*,                                                             \
       RnnDataDescriptor,                                                               \
       const void*,                                                                     \
       TensorDescriptor,                                                                \
       const void*,                                                                     \
       RnnDataDescriptor,                                                               \
       const void*,                                                                     \
       std::size_t,                                                                     \
       void*,                                                                           \
       std::size_t,                                                                     \
       void*,                                                                           \
       std::size_t,                                                                     \
       void*))

/// Consistency checks of the parts, callable without a GPU: cuDNN 8.
#define RNNCHECK_CUDNN_CHECKS_8(X)        \
    X(cudnnOpsInferVersionCheck, int, ()) \
    X(cudnnAdvInferVersionCheck, int, ())

/// The same in cuDNN 9, and what only 9 (or a late 8) exports.
#define RNNCHECK_CUDNN_CHECKS_9(X)     \
    X(cudnnOpsVersionCheck, int, ())   \
    X(cudnnGraphVersionCheck, int, ()) \
    X(cudnnAdvVersionCheck, int, ())   \
    X(cudnnGetLastErrorString, void, (char*, std::size_t))

/// Since 8.6.
#define RNNCHECK_CUDNN_SINCE_8_6(X) X(cudnnGetMaxDeviceVersion, std::size_t, ())

// All in one Api; a symbol that this version lacks is empty.
#define RNNCHECK_CUDNN_FUNCTIONS(X) \
    RNNCHECK_CUDNN_EVERYWHERE(X)    \
    RNNCHECK_CUDNN_LEGACY(X)        \
    RNNCHECK_CUDNN_V8(X)            \
    RNNCHECK_CUDNN_CHECKS_8(X) RNNCHECK_CUDNN_CHECKS_9(X) RNNCHECK_CUDNN_SINCE_8_6(X)

struct CudnnApi : Library {
    RNNCHECK_CUDNN_FUNCTIONS(RNNCHECK_SYMBOL)
    static constexpr auto status_words = &CudnnApi::cudnnGetErrorString;

    /// Two functions suffice: the majors export an interface as a whole.
    bool speaks_legacy() const {
        return cudnnSetRNNDescriptor_v6 && cudnnRNNForwardInference;
    }
    bool speaks_v8() const {
        return cudnnSetRNNDescriptor_v8 && cudnnRNNForward;
    }
};

/// The name of the status, and the reason that cuDNN reports to its
/// callback where it gives one.
std::string status_text(ProbeWriter& writer, const CudnnApi& api, int code);
/// Sets that callback once, and forgets its last reason: a successful call may
/// warn, too, and must not explain a later failure.
void before_call(ProbeWriter& writer, const CudnnApi& api);

}  // namespace rnncheck::vendor
