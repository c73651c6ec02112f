// Every kind of row, for what is compiled once per kind.
#pragma once

#define RNNCHECK_EVERY_ROW(X) \
    X(DriverForCuda)          \
    X(CudaOfDriver)           \
    X(ForwardCompatibility)   \
    X(DriverBranch)           \
    X(Architecture)           \
    X(CudnnBuild)             \
    X(CudnnPart)              \
    X(StatusName)             \
    X(Xid)                    \
    X(RnnDefect)              \
    X(RnnOffer)               \
    X(RnnLimit)               \
    X(GpuProduct)             \
    X(FrameworkBuild)         \
    X(KerasBackend)           \
    X(LogSignature)           \
    X(LogPointer)             \
    X(LogCause)               \
    X(FrameworkCuda)
