#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(cudnn_mixed_sublibraries,
          Fires{{{"cuDNN says so", but([](Facts& f) {
                      rnn_half_fails(f, "cudnnOpsInferVersionCheck", 14, "CUDNN_STATUS_VERSION_MISMATCH");
                  }),
                  "is loaded with parts of another cuDNN: failed call, cudnnOpsInferVersionCheck answered 14"},
                 {"cuDNN 9 has another number for it", but([](Facts& f) {
                      f.cudnns.front() = add_wheel_cudnn9(f);
                      f.cudnns.resize(1);
                      rnn_half_fails(f, "cudnnAdvVersionCheck", 1002, "");
                  }),
                  "answered 1002"},
                 {"a case says so", but([](Facts& f) {
                      one_case(f, RunEnd::failed, {"cudnnRNNForward", 14, "CUDNN_STATUS_VERSION_MISMATCH"});
                  }),
                  "cudnnRNNForward answered 14"},
                 {"a part from LD_LIBRARY_PATH is older", but([](Facts& f) {
                      rnn_half_fails(f, "cudnnCreateRNNDescriptor", 4, "CUDNN_STATUS_INTERNAL_ERROR");
                      Library& part = library_named(f, "libcudnn_adv_infer.so.8");
                      part.picked_by_loader = false;
                      add_library(f, LibraryKind::cudnn_part, "/home/me/lib/libcudnn_adv_infer.so.8",
                                  "/home/me/lib/libcudnn_adv_infer.so.8.6.0", true)
                          .found_via = FoundVia::ld_library_path;
                  }),
                  "/home/me/lib/libcudnn_adv_infer.so.8, release 8.6.0, not 8.9.7"},
                 {"loaded from two folders", but([](Facts& f) {
                      rnn_half_fails(f, "cudnnCreateRNNDescriptor", 4, "CUDNN_STATUS_INTERNAL_ERROR");
                      f.cudnns.front().parts_mapped = {"/a/libcudnn.so.8", "/b/libcudnn_ops_infer.so.8"};
                  }),
                  "/a/libcudnn.so.8 and /b/libcudnn_ops_infer.so.8"}}},
          Silent{{{"healthy", a_healthy_machine(), ""},
                  {"the number means something else in another major", but([](Facts& f) {
                       f.cudnns.front() = add_wheel_cudnn9(f);
                       f.cudnns.resize(1);
                       for (auto& run : f.rnn_runs) run.library = f.cudnns.front().library;
                       one_case(f, RunEnd::failed, {"cudnnRNNForward", 14, "CUDNN_UNKNOWN_STATUS"});
                   }),
                   ""},
                  {"names differ, but cuDNN has checked its parts",
                   but([](Facts& f) { library_named(f, "libcudnn_adv_infer.so.8").version_in_name = v("8.6.0"); }), ""},
                  {"two whole copies of different releases", but([](Facts& f) { add_wheel_cudnn9(f); }), ""},
                  {"the RNN half fails for another reason", but([](Facts& f) {
                       rnn_half_fails(f, "cudnnCreateRNNDescriptor", 4, "CUDNN_STATUS_INTERNAL_ERROR");
                   }),
                   ""},
                  {"none installed", but(no_cudnn), ""}}},
          CannotTell{{{"nothing learnt", nothing_learnt(), ""},
                      {"it was not asked to the end and its files name no release", but([](Facts& f) {
                           f.cudnns.front().rnn_usable.reset();
                           for (auto& l : f.libraries) l.version_in_name.reset();
                       }),
                       ""}}})
