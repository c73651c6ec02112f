#include "support/dll_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    vc_runtime_missing,
    Fires{
        {{"not installed",
          with_dlls({missing_dll("msvcp140.dll", "C:\\torch\\lib\\c10.dll")}),
          "c10.dll needs msvcp140.dll of Microsoft's Visual C++ runtime"},
         {"too old",
          with_dlls({lacking_dll("cublas64_12.dll", "C:\\Windows\\System32\\MSVCP140.dll")}),
          "is too old"}}},
    Silent{
        {{"installed",
          with_dlls({loaded_dll("msvcp140.dll", "C:\\Windows\\System32\\MSVCP140.dll")}),
          ""},
         {"not of Windows", a_healthy_machine(), ""},
         {"another DLL is missing",
          with_dlls({missing_dll("cudnn64_9.dll", "C:\\torch_cuda.dll")}),
          ""}}},
    WhenUndecided{{{"the search is not known", with_dlls({unknown_dll("msvcp140.dll")}), ""}}})
