#include "support/installed_machines.hpp"

RULE_TEST(cudnn_major_soname_mismatch,
          Fires{{{"only cuDNN 8, and it opens 9", but([](Facts& f) {
                      loses(add_torch(f), "libcudnn");
                      f.cudnns.pop_back();
                      std::erase_if(f.libraries, [](const Library& l) { return l.path.starts_with(wheel); });
                  }),
                  "PyTorch 2.4.1 (cu121) opens libcudnn.so.9, and cuDNN 8 is installed"}}},
          silent_about_frameworks({{"nothing at all is another fault", but([](Facts& f) {
                                        loses(add_tensorflow(f), "libcudnn");
                                        no_cudnn(f);
                                    }),
                                    ""},
                                   {"the right one lies elsewhere",
                                    but([](Facts& f) { loses(add_torch(f), "libcudnn"); }), ""},
                                   {"no GPU to use it", but([](Facts& f) {
                                        loses(add_torch(f), "libcudnn");
                                        no_machine(f);
                                    }),
                                    ""}}),
          cannot_tell_without_search())
