#include "files/python/frameworks.hpp"
#include "support/catch.hpp"

using namespace rnncheck::python;

TEST_CASE("plain values of a generated file are read, whatever is around") {
    const Literals old = read_literals(
        "is_cuda_build = True\r\ncuda_version_number = \"10.1\"\ncall = f('x')\n  indented = "
        "'no'\n");
    CHECK(old.yes_no("is_cuda_build") == true);
    CHECK(old.one("cuda_version_number") == "10.1");
    CHECK_FALSE(old.one("call"));
    CHECK_FALSE(old.one("indented"));
    const Literals annotated =
        read_literals("cuda: Optional[str] = '12.1'\nhip: Optional[str] = None\ndebug = False");
    CHECK(annotated.one("cuda") == "12.1");
    CHECK_FALSE(annotated.one("hip"));
    CHECK(annotated.all("hip") == std::vector<std::string>{"None"});
}

TEST_CASE("pairs and lists in one line are read") {
    const Literals info = read_literals(
        "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', "
        "'compute_90']), "
        "('cuda_version', "
        "'12.5.1'), ('is_cuda_build', True)])");
    CHECK(info.all("cuda_compute_capabilities") == std::vector<std::string>{"sm_60", "compute_90"});
    CHECK(info.one("cuda_version") == "12.5.1");
    CHECK(info.yes_no("is_cuda_build") == true);
    CHECK_FALSE(info.one("cuda_compute_capabilities"));
}

TEST_CASE("what is computed or escaped is no plain value") {
    const Literals literals = read_literals(
        "a = '1' + '2'\nb = '\\x41'\nc = 'unfinished\nd = ['x', y]\ne = os.getenv('HOME')\n");
    CHECK(literals.one("a") == "1");  // the first value of the expression, not its result
    CHECK_FALSE(literals.one("b"));
    CHECK_FALSE(literals.one("c"));
    CHECK(literals.all("d").empty());
    CHECK_FALSE(literals.one("e"));
}

TEST_CASE("requirements are read in the forms that packages use") {
    const auto read = [](const char* text) {
        const Requirement need = read_requirement(text);
        return need.name + " " + need.bounds;
    };
    CHECK(
        read("nvidia-cudnn-cu12 (==8.9.4.25) ; extra == 'and-cuda'") ==
        "nvidia-cudnn-cu12 ==8.9.4.25");
    CHECK(
        read("nvidia-cudnn-cu12 <10.0,>=9.1 ; extra == \"with_cuda\"") ==
        "nvidia-cudnn-cu12 <10.0,>=9.1");
    CHECK(
        read("nvidia_cudnn.cu12==9.1.0.70; platform_system == \"Linux\"") ==
        "nvidia-cudnn-cu12 ==9.1.0.70");
    CHECK(read("cuda-toolkit[nvrtc,cudart]==13.0.3") == "cuda-toolkit ==13.0.3");
    CHECK(read("numpy") == "numpy ");
}

TEST_CASE("headers end at the first empty line") {
    const Metadata metadata = read_metadata(
        "Metadata-Version: 2.1\r\nName: Torch_X\nVersion: 2.4.1\n\nName: other\nRequires-Dist: "
        "no\n");
    CHECK(metadata.name == "torch-x");
    CHECK(metadata.version == "2.4.1");
    CHECK(metadata.needs.empty());
}

TEST_CASE("a list of files gives its libraries with their sizes") {
    std::vector<std::string> found;
    for (const RecordedFile& file : read_record(
             "torch/lib/libtorch.so,sha256=a,123\n\"odd, "
             "name/lib\"\"x\"\".so.9\",,7\nx/readme.sofa,,1\nx/lib.so,,\n../../up.so.1.2,h,5"))
        found.push_back(file.path + " " + (file.bytes ? std::to_string(*file.bytes) : "?"));
    CHECK(
        found == std::vector<std::string>{
                     "torch/lib/libtorch.so 123",
                     "odd, name/lib\"x\".so.9 7",
                     "x/lib.so ?",
                     "../../up.so.1.2 5"});
}
