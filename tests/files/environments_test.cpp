#include "files/python/environments.hpp"

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/python_root.hpp"

using namespace rnncheck;
using namespace rnncheck::python;
using namespace rnncheck::test;

namespace {

using Directories = std::vector<std::string>;

FakeRoot& add_system(FakeRoot& root) {
    root.file("/usr/bin/python3.11", "").link("/usr/bin/python3", "python3.11");
    return root.directory("/usr/lib/python3/dist-packages")
        .directory("/usr/local/lib/python3.11/dist-packages");
}

}  // namespace

TEST_CASE("an interpreter, a link to it and its directory lead to the same virtual environment") {
    FakeRoot root;
    add_venv(root);
    root.link("/home/ada/bin/py", venv + "/bin/python");
    for (const std::string& path :
         {venv, venv + "/", venv + "/bin/python", venv + "/bin/python3"}) {
        INFO(path);
        const auto found = environment_at(root.root(), {}, path);
        REQUIRE(found);
        CHECK(found->path == venv);
        CHECK(found->kind == "venv");
        CHECK(found->version->text == "3.11.7");
        CHECK(found->package_directories == Directories{site});
    }
}

TEST_CASE(
    "a virtual environment sees the user's packages and the system's only if it was made so") {
    FakeRoot root;
    add_system(add_venv(root));
    const std::string user = "/home/ada/.local/lib/python3.11/site-packages";
    root.directory(user);
    const Variables variables = {{"HOME", "/home/ada"}};
    CHECK(environment_at(root.root(), variables, venv)->package_directories == Directories{site});
    root.file(
        venv + "/pyvenv.cfg",
        "home = /usr/bin\ninclude-system-site-packages = true\nversion_info = 3.11.7.final.0\n");
    CHECK(
        environment_at(root.root(), variables, venv)->package_directories ==
        Directories{
            user,
            site,
            "/usr/local/lib/python3.11/dist-packages",
            "/usr/lib/python3/dist-packages"});
    CHECK(environment_at(root.root(), variables, venv)->version->text == "3.11.7");
}

TEST_CASE("the system's python has PYTHONPATH, the user's directory and Debian's, in this order") {
    FakeRoot root;
    add_system(root)
        .directory("/opt/more")
        .directory("/home/ada/.local/lib/python3.11/site-packages");
    Variables variables = {
        {"HOME", "/home/ada"}, {"PYTHONPATH", "relative:/opt/more:/opt/missing"}};
    const auto found = environment_at(root.root(), variables, "/usr/bin/python3");
    REQUIRE(found);
    CHECK(found->kind == "system");
    CHECK(found->version->text == "3.11");
    CHECK(
        found->package_directories == Directories{
                                          "/opt/more",
                                          "/home/ada/.local/lib/python3.11/site-packages",
                                          "/usr/local/lib/python3.11/dist-packages",
                                          "/usr/lib/python3/dist-packages"});
    variables["PYTHONNOUSERSITE"] = "1";
    CHECK(
        environment_at(root.root(), variables, "/usr/bin/python3")->package_directories.size() ==
        3);
}

TEST_CASE("conda shows its Python's full version") {
    FakeRoot root;
    const std::string conda = "/opt/conda/envs/ml";
    root.file(conda + "/conda-meta/python-3.10.13-hd12c33a_0_cpython.json", "{}")
        .file(conda + "/bin/python3.10", "");
    root.link(conda + "/bin/python", "python3.10")
        .directory(conda + "/lib/python3.10/site-packages");
    const auto found = environment_at(root.root(), {}, conda + "/bin/python");
    REQUIRE(found);
    CHECK(found->path == conda);
    CHECK(found->kind == "conda");
    CHECK(found->version->text == "3.10.13");
    CHECK(found->package_directories == Directories{conda + "/lib/python3.10/site-packages"});
}

TEST_CASE("a shim of pyenv leads to the version that is set") {
    FakeRoot root;
    for (const std::string& version : {std::string("3.9.18"), std::string("3.11.7")})
        root.file("/home/ada/.pyenv/versions/" + version + "/bin/python3", "")
            .directory(
                "/home/ada/.pyenv/versions/" + version + "/lib/python" +
                version.substr(0, version.rfind('.')) + "/site-packages");
    root.file("/home/ada/.pyenv/shims/python3", "#!/bin/sh\n")
        .file("/home/ada/.pyenv/version", "3.11.7\n");
    root.file("/home/ada/work/.python-version", "3.9.18\n");
    Variables variables = {{"PATH", "/nowhere:/home/ada/.pyenv/shims"}, {"PWD", "/home/ada"}};
    CHECK(environment_on_path(root.root(), variables)->version->text == "3.11.7");
    variables["PWD"] = "/home/ada/work/deep";
    CHECK(environment_on_path(root.root(), variables)->path == "/home/ada/.pyenv/versions/3.9.18");
    variables["PYENV_VERSION"] = "3.11.7:3.9.18";
    CHECK(environment_on_path(root.root(), variables)->version->text == "3.11.7");
    variables["PYENV_VERSION"] = "../../..";
    CHECK_FALSE(environment_on_path(root.root(), variables));
}

TEST_CASE(
    "what was requested comes before the python on PATH, that before VIRTUAL_ENV and "
    "CONDA_PREFIX") {
    FakeRoot root;
    add_system(add_venv(root));
    root.file("/opt/conda/conda-meta/python-3.12.1-0.json", "").file("/opt/conda/bin/python", "");
    Variables variables = {{"PATH", "/usr/bin"}};
    const auto chosen = [&](std::optional<std::string> requested = {}) {
        const auto found = active_environment(root.root(), variables, requested);
        return found ? found->path + " by " + found->found_by : "none";
    };
    CHECK(chosen() == "/usr by PATH");
    variables["CONDA_PREFIX"] = "/opt/conda";
    variables["VIRTUAL_ENV"] = venv;
    CHECK(chosen() == "/usr by PATH");
    variables["PATH"] = "/opt/conda/bin:/usr/bin";
    CHECK(chosen() == "/opt/conda by CONDA_PREFIX");
    variables["PATH"] = venv + "/bin:/opt/conda/bin:/usr/bin";
    CHECK(chosen() == venv + " by VIRTUAL_ENV");
    CHECK(chosen("/usr/bin/python3") == "/usr by --python");
    CHECK(chosen("/nothing/here") == "none");
    variables["PATH"] = "/nowhere";
    CHECK(chosen() == venv + " by VIRTUAL_ENV");
    variables["VIRTUAL_ENV"] = "/gone";
    CHECK(chosen() == "/opt/conda by CONDA_PREFIX");
}

namespace {

/// "path (found by): why it was passed over" of all but the first.
std::vector<std::string> passed_over(const FakeRoot& root, const Variables& variables) {
    std::vector<std::string> lines;
    for (const auto& environment : chosen_environments(root.root(), variables, {}))
        if (!environment.active)
            lines.push_back(
                environment.path + " (" + environment.found_by +
                "): " + environment.passed_over.value_or(""));
    return lines;
}

}  // namespace

TEST_CASE(
    "what a variable names in vain is named, conda's base below a virtual environment is not") {
    FakeRoot root;
    add_system(add_venv(root));
    root.file("/opt/conda/conda-meta/python-3.12.1-0.json", "").file("/opt/conda/bin/python", "");
    Variables variables = {
        {"PATH", venv + "/bin:/opt/conda/bin"},
        {"VIRTUAL_ENV", venv},
        {"CONDA_PREFIX", "/opt/conda"}};
    CHECK(passed_over(root, variables).empty());
    variables["PATH"] = "/opt/conda/bin:" + venv + "/bin";
    CHECK(
        passed_over(root, variables) ==
        Directories{venv + " (VIRTUAL_ENV): the python on PATH is another one"});
}

TEST_CASE(
    "an environment with rnncheck and no framework is seen through, unless a variable names it") {
    FakeRoot root;
    add_system(add_venv(root));
    add_distribution(root, "rnncheck", "0.1.0");
    Variables variables = {{"PATH", venv + "/bin:/usr/bin"}};
    CHECK(active_environment(root.root(), variables, {})->path == "/usr");
    CHECK(
        passed_over(root, variables) ==
        Directories{venv + " (PATH): rnncheck is installed in it and no framework is"});
    variables["VIRTUAL_ENV"] = venv;
    CHECK(active_environment(root.root(), variables, {})->path == venv);
    variables.erase("VIRTUAL_ENV");
    add_torch(root);
    CHECK(active_environment(root.root(), variables, {})->path == venv);
    variables = {{"PATH", "/usr/bin"}, {"RNNCHECK_PYTHON", venv + "/bin/python"}};
    CHECK(active_environment(root.root(), variables, {})->found_by == "python -m rnncheck");
    CHECK(
        passed_over(root, variables) ==
        Directories{"/usr (PATH): rnncheck was started from another environment"});
}

TEST_CASE("an environment whose interpreter is gone is known by each of its names") {
    FakeRoot root;
    add_venv(root);
    std::filesystem::remove(root.outside("/usr/bin/python3.11"));
    for (const std::string& path :
         {venv, venv + "/bin", venv + "/bin/python", venv + "/bin/python3"}) {
        INFO(path);
        const auto found = environment_at(root.root(), {}, path_of_python(root.root(), {}, path));
        REQUIRE(found);
        CHECK(found->path == venv);
        CHECK(found->missing_interpreter == "/usr/bin/python3.11");
        CHECK_FALSE(found->interpreter);
    }
    root.file("/windows/pyvenv.cfg", "").directory("/windows/Scripts");  // as seen from WSL
    CHECK_FALSE(environment_at(root.root(), {}, "/windows")->missing_interpreter);
}

TEST_CASE(
    "uv run --with puts an environment on top of the project's, which is the one that is "
    "examined") {
    FakeRoot root;
    add_venv(root);
    add_torch(root);
    const std::string overlay = "/home/ada/.cache/uv/builds-v0/.tmp1",
                      with = "/home/ada/.cache/uv/archive-v0/x/lib";
    add_venv(root, overlay);
    root.file(
        overlay + "/pyvenv.cfg",
        "home = /usr/bin\nversion_info = 3.11.7\nextends-environment = " + venv + "\n");
    root.file(
        overlay + "/lib/python3.11/site-packages/_uv_ephemeral_overlay.pth",
        "import site; site.addsitedir(__import__(\"os\").fsdecode(b\"" + with +
            "\")); site.addsitedir(__import__(\"os\").fsdecode(b\"" + site + "\"))\n");
    add_distribution(root, "rnncheck", "0.1.0", "", with);
    const auto found = environment_at(root.root(), {}, overlay + "/bin/python");
    REQUIRE(found);
    CHECK(found->path == venv);
    CHECK(
        found->package_directories ==
        Directories{overlay + "/lib/python3.11/site-packages", site, with});
}

TEST_CASE("--python takes what a person types") {
    FakeRoot root;
    add_system(add_venv(root));
    add_venv(root, "/home/ada/project/.venv");
    root.file("/opt/miniconda3/envs/rnn/conda-meta/python-3.12.1-0.json", "");
    root.file("/home/ada/.conda/envs/twice/conda-meta/x", "")
        .file("/opt/conda/envs/twice/conda-meta/x", "");
    root.file("/home/ada/.pyenv/versions/3.9.18/bin/python3", "")
        .directory("/home/ada/project/rnn");
    const Variables variables = {
        {"HOME", "/home/ada"}, {"PWD", "/home/ada/project"}, {"PATH", "/usr/bin"}};
    const auto path = [&](const std::string& text) {
        return path_of_python(root.root(), variables, text);
    };
    CHECK(path("~/venv") == venv);
    CHECK(path("../venv/bin") == venv);
    CHECK(path("../venv/bin/python") == venv + "/bin/python");
    CHECK(path(".") == "/home/ada/project/.venv");
    CHECK(path("~/project/") == "/home/ada/project/.venv");
    CHECK(path("python3") == "/usr/bin/python3");
    CHECK(path("python3.11") == "/usr/bin/python3.11");
    CHECK(path("3.11") == "/usr/bin/python3.11");
    CHECK(path("3.9") == "/home/ada/.pyenv/versions/3.9.18");
    CHECK(path("3.9.18") == "/home/ada/.pyenv/versions/3.9.18");
    CHECK(path("rnn") == "/opt/miniconda3/envs/rnn");
    const auto rejected = [&](const std::string& text) -> std::string {
        try {
            return path(text);
        } catch (const InputError& error) {
            return error.what();
        }
    };
    root.file("/usr/bin/ls", "");
    CHECK(contains(rejected("ls"), "'/usr/bin/ls' is no Python"));
    CHECK(contains(rejected("/usr/bin/ls"), "at '/usr/bin/ls'"));
    CHECK(contains(rejected("3.8"), "no Python interpreter or environment at '3.8'"));
    CHECK(contains(rejected("~/nothing"), "no Python interpreter or environment at '~/nothing'"));
    CHECK(contains(rejected("twice"), "several environments are named 'twice'"));
}

TEST_CASE("a bare directory of packages is an environment when it is requested") {
    FakeRoot root;
    root.file("/data/target/torch-2.4.1.dist-info/METADATA", "").directory("/data/empty");
    const auto found = environment_at(root.root(), {}, "/data/target");
    REQUIRE(found);
    CHECK(found->kind == "directory");
    CHECK(found->package_directories == Directories{"/data/target"});
    CHECK_FALSE(environment_at(root.root(), {}, "/data/empty"));
}

TEST_CASE("links in a loop, closed directories and nonsense lead nowhere and do no harm") {
    FakeRoot root;
    root.link("/loop/a", "b").link("/loop/b", "a").link("/round/lib", "../round");
    root.file("/noise/pyvenv.cfg", std::string(1 << 20, '\xff'))
        .directory("/closed/lib")
        .mode("/closed", 0);
    const OrdinaryUser user;
    CHECK_FALSE(environment_at(root.root(), {}, "/loop/a"));
    CHECK_FALSE(environment_at(root.root(), {}, "/round"));
    CHECK_FALSE(environment_at(root.root(), {}, "/closed"));
    CHECK_FALSE(environment_at(root.root(), {}, "relative"));
    const auto noise = environment_at(root.root(), {}, "/noise");
    REQUIRE(noise);
    CHECK_FALSE(noise->version);
}

TEST_CASE("other environments are found in the places of the tools") {
    FakeRoot root;
    add_system(add_venv(root));
    add_venv(root, "/home/ada/project/.venv");
    add_venv(root, "/home/ada/.local/share/pipx/venvs/tool");
    root.file("/opt/conda/envs/ml/conda-meta/python-3.12.1-0.json", "");
    std::vector<std::string> found;
    for (const auto& environment :
         other_environments(root.root(), {{"HOME", "/home/ada"}, {"PWD", "/home/ada/project"}}))
        found.push_back(environment.kind + " " + environment.path);
    CHECK(
        found == Directories{
                     "venv /home/ada/project/.venv",
                     "venv /home/ada/venv",
                     "pipx /home/ada/.local/share/pipx/venvs/tool",
                     "conda /opt/conda/envs/ml",
                     "system /usr"});
}

TEST_CASE("each tool's place is searched, and where a variable moves it") {
    const std::string home = "/home/ada", share = home + "/.local/share";
    const Variables variables = {
        {"HOME", home},
        {"PWD", home + "/project/src/deep"},
        {"WORKON_HOME", "/data/workon"},
        {"POETRY_VIRTUALENVS_PATH", "/data/poetry"},
        {"MAMBA_ROOT_PREFIX", "/data/mamba"}};
    for (const std::string& place :
         {home + "/project/venv",
          home + "/project/env",
          home + "/project/.venv",
          home + "/any_name",
          home + "/.cache/pypoetry/virtualenvs/project-x-py3.11",
          share + "/virtualenvs/project-x",
          share + "/hatch/env/virtual/project/x/project",
          share + "/pdm/venvs/project-x",
          std::string("/opt/venv"),
          std::string("/opt/other"),
          std::string("/venv"),
          std::string("/data/workon/a"),
          std::string("/data/poetry/b"),
          home + "/.virtualenvs/c",
          home + "/.pyenv/versions/3.11.7/envs/d"}) {
        INFO(place);
        FakeRoot root;
        add_venv(root, place);
        const auto found = other_environments(root.root(), variables);
        CHECK(find_by(found, &PythonEnvironment::path, place));
    }
    for (const std::string& place :
         {share + "/mamba/envs/e",
          std::string("/data/mamba/envs/f"),
          home + "/miniforge3",
          std::string("/opt/miniconda3"),
          std::string("/opt/miniconda3/envs/g")}) {
        INFO(place);
        FakeRoot root;
        root.file(place + "/conda-meta/python-3.12.1-0.json", "");
        CHECK(find_by(other_environments(root.root(), variables), &PythonEnvironment::path, place));
    }
}

TEST_CASE("Jupyter's kernels and the environments of sudo's user are found") {
    FakeRoot root;
    add_venv(root, "/data/kernel");
    add_venv(root, "/users/ada/venv");
    root.file("/etc/passwd", "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/users/ada:/bin/sh\n");
    root.file(
        "/users/ada/.local/share/jupyter/kernels/rnn/kernel.json",
        "{\n \"argv\": [\n  \"/data/kernel/bin/python\",\n  \"-m\"\n ]\n}");
    const auto found = other_environments(root.root(), {{"HOME", "/root"}, {"SUDO_USER", "ada"}});
    const auto* kernel = find_by(found, &PythonEnvironment::path, "/data/kernel");
    REQUIRE(kernel);
    CHECK(kernel->found_by == "Jupyter kernel rnn");
    CHECK(find_by(found, &PythonEnvironment::path, "/users/ada/venv"));
}

TEST_CASE(
    "directories that .pth files add are searched after the others, and code in them is not run") {
    FakeRoot root;
    add_venv(root);
    add_distribution(root, "torch", "2.4.1", "", "/srv/shared");
    add_distribution(root, "jax", "0.4.35", "", venv + "/lib/python3.11/more");
    root.file(
        site + "/a.pth",
        "# comment\n\n/srv/shared\n../more\r\n/nowhere\n/srv/shared\nimport os; os.abort()\n");
    root.file(site + "/__editable__.jaxlib-1.pth", "import __editable___jaxlib_1_finder\n");
    const auto found = environment_at(root.root(), {}, venv);
    REQUIRE(found);
    REQUIRE(found->package_directories.size() == 3);
    CHECK(found->package_directories[1] == "/srv/shared");
    CHECK(found->package_directories[2] == venv + "/lib/python3.11/more");
    REQUIRE(found->skipped.size() == 1);
    CHECK(found->skipped[0].find("editable installation") != std::string::npos);
}

namespace {

/// What the shim `python3` of a manager runs, and what set it.
std::string behind(const FakeRoot& root, const Variables& variables, const std::string& shims) {
    const auto shim = shim_at(root.root(), variables, shims + "/python3");
    if (!shim)
        return "no shim";
    return shim->manager + ": " + shim->program.value_or("nothing") + " by " + shim->set_by;
}

}  // namespace

TEST_CASE("a shim of pyenv, asdf or mise runs the version that is set") {
    FakeRoot root;
    const std::string home = "/home/ada", mise = home + "/.local/share/mise";
    for (const std::string& versions :
         {home + "/.pyenv/versions", home + "/.asdf/installs/python", mise + "/installs/python"})
        for (const char* version : {"3.11.7", "3.12.1"})
            root.file(versions + '/' + version + "/bin/python3", "")
                .file(versions + '/' + version + "/lib/python3/x", "");
    for (const std::string& shims :
         {home + "/.pyenv/shims", home + "/.asdf/shims", mise + "/shims"})
        root.file(shims + "/python3", "#!/bin/sh\n");
    root.file("/project/a/.tool-versions", "nodejs 20.1.0\npython 3.12.1 3.11.7\n")
        .file(
            "/project/m/mise.toml",
            "[env]\npython = \"x\"\n[tools]\nnode = \"20\"\npython = [\"3.11.7\"]\n")
        .file("/project/p/.python-version", "3.11.7\n")
        .file(home + "/.pyenv/version", "3.12.1\n");
    const auto in = [&](const std::string& directory) {
        return Variables{{"HOME", home}, {"PWD", directory}};
    };
    const std::string pyenv = home + "/.pyenv/shims", asdf = home + "/.asdf/shims";
    CHECK(
        behind(root, in("/project/p/deep/er"), pyenv) ==
        "pyenv: /home/ada/.pyenv/versions/3.11.7/bin/python3 by /project/p/.python-version");
    CHECK(
        behind(root, in("/"), pyenv) ==
        "pyenv: /home/ada/.pyenv/versions/3.12.1/bin/python3 by /home/ada/.pyenv/version");
    CHECK(
        behind(root, in("/project/a/b"), asdf) ==
        "asdf: /home/ada/.asdf/installs/python/3.12.1/bin/python3 by /project/a/.tool-versions");
    CHECK(
        behind(root, in("/project/m"), mise + "/shims") ==
        "mise: /home/ada/.local/share/mise/installs/python/3.11.7/bin/python3 by "
        "/project/m/mise.toml");
    root.file("/project/minor/.python-version", "3.11\n")
        .file("/project/minor/.tool-versions", "python 3.11\n");
    root.file("/project/minor/mise.toml", "[tools]\npython = \"3.12\"\n");
    CHECK(
        behind(root, in("/project/minor"), pyenv) ==
        "pyenv: /home/ada/.pyenv/versions/3.11.7/bin/python3 by /project/minor/.python-version");
    CHECK(
        behind(root, in("/project/minor"), mise + "/shims") ==
        "mise: /home/ada/.local/share/mise/installs/python/3.12.1/bin/python3 by "
        "/project/minor/mise.toml");
    CHECK(
        behind(root, in("/project/minor"), asdf) ==
        "asdf: nothing by /project/minor/.tool-versions");
    CHECK(behind(root, in("/"), asdf) == "asdf: nothing by ");
    Variables other = in("/project/a");
    other["ASDF_PYTHON_VERSION"] = "3.9.9";
    CHECK(behind(root, other, asdf) == "asdf: nothing by ASDF_PYTHON_VERSION");
    CHECK(behind(root, in("/"), "/usr/bin") == "no shim");
    const auto environment = environment_at(root.root(), in("/project/m"), mise + "/shims/python3");
    REQUIRE(environment);
    CHECK(environment->kind == "mise");
    CHECK(environment->version->text == "3.11.7");
}
