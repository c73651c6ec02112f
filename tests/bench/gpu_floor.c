/* The floor of the doctor's cost on a GPU: the calls of the driver and of cuDNN that 24 small
   networks need, with nothing around: no reference, no comparison, no process of its own, no
   report.

   usage: gpu_floor CASES       each line of the file: cell dtype math algorithm directions layers
   input hidden batch steps states training layout lengths (enumerators of cudnn.h and sizes;
                                lengths by comma, or -), as gpu_floor_bench.py writes it
   build: cc -O1 gpu_floor.c -o gpu_floor -lcuda -l:libcudnn.so.9
   Prints the milliseconds since its start after each stage. */
#include <cuda.h>
#include <cudnn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { most_sequences = 64 };

static struct timespec began;

static void stage(const char* name) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double since =
        (double)(now.tv_sec - began.tv_sec) * 1e3 + (double)(now.tv_nsec - began.tv_nsec) / 1e6;
    printf("%-12s %8.1f ms\n", name, since);
}

#define CHECK(call)                                                                   \
    do {                                                                              \
        const int status = (int)(call);                                               \
        if (status) {                                                                 \
            fprintf(stderr, "gpu_floor: line %d: %s: %d\n", __LINE__, #call, status); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

typedef struct {
    int cell, dtype, math, algorithm, directions, layers, input, hidden, batch, steps, states,
        training, layout;
    int lengths[most_sequences];
} Case;

static CUdeviceptr memory(size_t bytes) {
    CUdeviceptr pointer = 0;
    if (!bytes)
        return 0;
    CHECK(cuMemAlloc(&pointer, bytes));
    CHECK(cuMemsetD8(pointer, 0, bytes));
    return pointer;
}

static size_t element_bytes(int dtype) {
    switch (dtype) {
        case CUDNN_DATA_DOUBLE:
            return 8;
        case CUDNN_DATA_FLOAT:
            return 4;
        default:
            return 2;
    }
}

static int read_case(const char* line, Case* out) {
    char lengths[512] = "-";
    const int fields = sscanf(line, "%d %d %d %d %d %d %d %d %d %d %d %d %d %511s", &out->cell,
                              &out->dtype, &out->math, &out->algorithm, &out->directions,
                              &out->layers, &out->input, &out->hidden, &out->batch, &out->steps,
                              &out->states, &out->training, &out->layout, lengths);
    if (fields < 13 || out->batch > most_sequences)
        return 0;
    char* next = lengths;
    for (int i = 0; i < out->batch; ++i) {
        out->lengths[i] = lengths[0] == '-' ? out->steps : (int)strtol(next, &next, 10);
        if (*next == ',')
            ++next;
    }
    return 1;
}

static cudnnRNNDataDescriptor_t sequences(const Case* c, int width) {
    cudnnRNNDataDescriptor_t descriptor;
    double fill = 0;
    CHECK(cudnnCreateRNNDataDescriptor(&descriptor));
    CHECK(cudnnSetRNNDataDescriptor(descriptor, (cudnnDataType_t)c->dtype,
                                    (cudnnRNNDataLayout_t)c->layout, c->steps, c->batch, width,
                                    c->lengths, &fill));
    return descriptor;
}

static cudnnTensorDescriptor_t states(const Case* c) {
    cudnnTensorDescriptor_t descriptor;
    const int sizes[3] = {c->layers * c->directions, c->batch, c->hidden};
    const int strides[3] = {c->batch * c->hidden, c->hidden, 1};
    CHECK(cudnnCreateTensorDescriptor(&descriptor));
    CHECK(cudnnSetTensorNdDescriptor(descriptor, (cudnnDataType_t)c->dtype, 3, sizes, strides));
    return descriptor;
}

static cudnnRNNDescriptor_t network(cudnnHandle_t handle, const Case* c) {
    cudnnRNNDescriptor_t rnn;
    cudnnDropoutDescriptor_t dropout;
    const cudnnDataType_t accumulate =
        c->dtype == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    CHECK(cudnnCreateDropoutDescriptor(&dropout));
    CHECK(cudnnSetDropoutDescriptor(dropout, handle, 0, NULL, 0, 0));
    CHECK(cudnnCreateRNNDescriptor(&rnn));
    CHECK(cudnnSetRNNDescriptor_v8(
        rnn, (cudnnRNNAlgo_t)c->algorithm, (cudnnRNNMode_t)c->cell, CUDNN_RNN_DOUBLE_BIAS,
        c->directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
        (cudnnDataType_t)c->dtype, accumulate, (cudnnMathType_t)c->math, c->input, c->hidden,
        c->hidden, c->layers, dropout, CUDNN_RNN_PADDED_IO_ENABLED));
    return rnn;
}

/* Twice, as the doctor does: the first run loads kernels, the second shows whether results repeat.
 */
static void run_case(cudnnHandle_t handle, const Case* c) {
    const size_t element = element_bytes(c->dtype);
    const size_t steps = (size_t)c->batch * (size_t)c->steps;
    const size_t rows = (size_t)c->layers * (size_t)c->directions * (size_t)c->batch;
    const size_t state_bytes = rows * (size_t)c->hidden * element;
    const int out_width = c->hidden * c->directions;
    const cudnnForwardMode_t mode =
        c->training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
    cudnnRNNDescriptor_t rnn = network(handle, c);
    cudnnRNNDataDescriptor_t x_of = sequences(c, c->input), y_of = sequences(c, out_width);
    cudnnTensorDescriptor_t h_of = states(c);
    size_t weight_bytes = 0, work_bytes = 0, reserve_bytes = 0;
    CHECK(cudnnGetRNNWeightSpaceSize(handle, rnn, &weight_bytes));
    CHECK(cudnnGetRNNTempSpaceSizes(handle, rnn, mode, x_of, &work_bytes, &reserve_bytes));
    CUdeviceptr x = memory(steps * (size_t)c->input * element),
                dx = memory(steps * (size_t)c->input * element);
    CUdeviceptr y = memory(steps * (size_t)out_width * element);
    CUdeviceptr h = memory(state_bytes), hy = memory(state_bytes), cy = memory(state_bytes);
    CUdeviceptr weights = memory(weight_bytes), dweights = memory(weight_bytes);
    CUdeviceptr work = memory(work_bytes), reserve = memory(reserve_bytes);
    CUdeviceptr lengths = memory(sizeof(int) * (size_t)c->batch);
    CHECK(cuMemcpyHtoD(lengths, c->lengths, sizeof(int) * (size_t)c->batch));
    void* results = malloc(steps * (size_t)out_width * element);
    for (int i = 0; i < 2; ++i) {
        CHECK(cudnnRNNForward(handle, rnn, mode, (const int32_t*)lengths, x_of, (void*)x, y_of,
                              (void*)y, h_of, (void*)h, (void*)hy, h_of, (void*)h, (void*)cy,
                              weight_bytes, (void*)weights, work_bytes, (void*)work, reserve_bytes,
                              (void*)reserve));
        if (c->training) {
            CHECK(cudnnRNNBackwardData_v8(handle, rnn, (const int32_t*)lengths, y_of, (void*)y,
                                          (void*)y, x_of, (void*)dx, h_of, (void*)h, NULL, NULL,
                                          h_of, (void*)h, NULL, NULL, weight_bytes, (void*)weights,
                                          work_bytes, (void*)work, reserve_bytes, (void*)reserve));
            CHECK(cudnnRNNBackwardWeights_v8(
                handle, rnn, CUDNN_WGRAD_MODE_ADD, (const int32_t*)lengths, x_of, (void*)x, h_of,
                (void*)h, y_of, (void*)y, weight_bytes, (void*)dweights, work_bytes, (void*)work,
                reserve_bytes, (void*)reserve));
        }
        CHECK(cuCtxSynchronize());
        CHECK(cuMemcpyDtoH(results, y, steps * (size_t)out_width * element));
    }
    free(results);
    const CUdeviceptr all[] = {x, dx, y, h, hy, cy, weights, dweights, work, reserve, lengths};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (all[i])
            CHECK(cuMemFree(all[i]));
}

int main(int argc, char** argv) {
    clock_gettime(CLOCK_MONOTONIC, &began);
    FILE* file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: gpu_floor CASES\n");
        return 2;
    }
    CUdevice device;
    CUcontext context;
    cudnnHandle_t handle;
    CHECK(cuInit(0));
    stage("cuInit");
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    stage("context");
    CHECK(cudnnCreate(&handle));
    stage("cudnnCreate");
    char line[1024];
    int count = 0;
    while (fgets(line, sizeof line, file)) {
        Case one;
        if (!read_case(line, &one))
            continue;
        run_case(handle, &one);
        ++count;
    }
    printf("%d networks\n", count);
    stage("networks");
    CHECK(cudnnDestroy(handle));
    CHECK(cuDevicePrimaryCtxRelease(device));
    stage("end");
    return 0;
}
