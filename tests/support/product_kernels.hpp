// Tests of arithmetic on every instruction set that the processor has.
#pragma once

#include "rnn/products.hpp"

namespace rnncheck::test {

/// Uses a kernel until its end.
class WithKernel {
  public:
    explicit WithKernel(const ProductKernel& kernel) : before_(product_kernel()) {
        use_product_kernel(kernel);
    }
    ~WithKernel() {
        use_product_kernel(before_);
    }
    WithKernel(const WithKernel&) = delete;
    WithKernel& operator=(const WithKernel&) = delete;

  private:
    ProductKernel before_;
};

}  // namespace rnncheck::test
