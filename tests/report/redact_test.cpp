#include "report/redact.hpp"

#include <algorithm>
#include <sstream>

#include "base/text.hpp"
#include "facts/facts.hpp"
#include "matrix/tables.hpp"
#include "report/documents.hpp"
#include "report/outline.hpp"
#include "sample_reports.hpp"
#include "support/catch.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

const std::string uuid = "GPU-11111111-2222-3333-4444-555555555555";
const std::string mig = "MIG-aaaaaaaa-bbbb-cccc-dddd-00000000000f";

const Identity identity{{"karlotta"}, {"/data/people/karlotta"}, {"helios.example.org"}};

/// Private things in every kind of place a report has.
Report private_report() {
    Report report = report_with_many_findings();
    Facts& facts = report.facts;
    facts.host.environment = {
        {"LD_LIBRARY_PATH", "/home/anneliese/cuda/lib64:/data/people/karlotta/lib:/root/lib"},
        {"CUDA_VISIBLE_DEVICES", uuid + ",GPU-11111111," + mig},
        {"HOME_OF_karlotta", "x"},
        {"HOSTNAME", "selene-17"},
        {"PYTHONPATH", "/mnt/c/Users/Berta Maier/py:C:\\Users\\Dora\\py"}};
    facts.libraries[0].path = "/home/anneliese/cuda/lib64/libcuda.so.1";
    facts.libraries[0].needed = {"/Users/friedrich/libx.so"};
    facts.cuda_devices[0].uuid = uuid;
    facts.probe_runs[0].output_tail =
        "host helios: user karlotta@selene-17, Serial Number : 1324419067243\nboard 1324419067243";
    facts.probe_runs[0].target = "/scratch/anneliese-old/libcudnn.so.9";
    report.findings[0].message = "the file /home/anneliese/cuda/lib64/libcuda.so.1 is no library";
    report.findings[0].evidence = {
        {"path of anneliese", "file:///home/anneliese/x", "libraries[/home/anneliese/cuda]"}};
    report.findings[0].remedies = {
        {Action::other,
         "remove it",
         {"rm /home/anneliese/cuda/lib64/libcuda.so.1"},
         Risk::safe,
         "ls /home/anneliese",
         ""}};
    report.verdicts[0].reason = "GPU 0 (" + uuid + ") is not well";
    return report;
}

const std::vector<std::string> secrets = {
    "karlotta",
    "anneliese",
    "friedrich",
    "Berta",
    "Maier",
    "Dora",
    "helios",
    "selene",
    "1324419067243",
    "/root",
    "/data/people",
    "11111111",
    "555555555555",
    "aaaaaaaa",
    "00000000000f"};

std::string everything(const Report& report) {
    std::string text = facts_to_text(report.facts, 2);
    for (const auto& format : all_formats())
        text += format->write(outline_of(report), {.verbose = true});
    return text;
}

}  // namespace

TEST_CASE("no secret is left anywhere in a redacted report") {
    const std::string before = everything(private_report());
    const std::string after = everything(redact(private_report(), identity));
    for (const std::string& secret : secrets) {
        INFO(secret);
        CHECK(contains(before, secret));
        CHECK_FALSE(contains(after, secret));
    }
}

TEST_CASE("the same thing has the same word everywhere") {
    const Report report = redact(private_report(), identity);
    const std::string path = report.facts.libraries[0].path;
    CHECK(path.starts_with("/home/USER"));
    CHECK(path.ends_with("/cuda/lib64/libcuda.so.1"));
    CHECK(contains(report.findings[0].message, "the file " + path + " is no library"));
    CHECK(report.findings[0].remedies[0].commands[0] == "rm " + path);
    const std::string& visible = report.facts.host.environment.at("CUDA_VISIBLE_DEVICES");
    CHECK(
        visible == *report.facts.cuda_devices[0].uuid + "," + *report.facts.cuda_devices[0].uuid +
                       ",MIG-UUID-2");
    CHECK(report.facts.cuda_devices[0].uuid == "GPU-UUID-1");
    CHECK(everything(redact(private_report(), identity)) == everything(report));
}

TEST_CASE("the own home directory is ~ to people, and what a shell expands in commands") {
    const Identity lena{{"lena"}, {}, {}, "/data/lena"};
    Report report = report_with_many_findings();
    report.facts.libraries[0].path = "/data/lena/lib/libcuda.so.1";
    report.findings[0].message =
        "'/data/lena/my dir/x' and /data/lena are there, /data/lena2 and /srv/data/lena too";
    const auto command = [&](const std::string& text) {
        report.findings[0].remedies = {
            {Action::other, "do it in /data/lena", {text}, Risk::safe, text, ""}};
        const Report shown = redact(report, lena);
        CHECK(shown.findings[0].remedies[0].text == "do it in ~");
        CHECK(shown.findings[0].remedies[0].verify == shown.findings[0].remedies[0].commands[0]);
        return shown.findings[0].remedies[0].commands[0];
    };
    CHECK(command("rm /data/lena/x /data/lena") == "rm ~/x ~");
    CHECK(command("rm '/data/lena/my dir/x' '/data/lena'") == "rm ~/'my dir/x' ~/''");
    CHECK(command("export A=/data/lena/a:/data/lena/b") == "export A=\"$HOME\"/a:\"$HOME\"/b");
    CHECK(
        command("x \"/data/lena/a b\" --at='/data/lena/c d'") ==
        "x \"$HOME/a b\" --at=\"$HOME\"'/c d'");
    CHECK(command("python -c 'open(\"/data/lena/a\")'") == "python -c 'open(\"'\"$HOME\"'/a\")'");
    const Report shown = redact(report, lena);
    CHECK(
        shown.findings[0].message ==
        "'~/my dir/x' and ~ are there, /data/lena2 and /srv/data/USER1 too");
    CHECK(shown.facts.libraries[0].path == "/HOME1/lib/libcuda.so.1");
    report.facts.cudnns.at(0).library = "/data/lena/lib/libcudnn.so.9";
    CHECK(contains(outline_of(redact(report, lena)).text({}), "~/lib/libcudnn.so.9"));
    CHECK(redact("cannot open /data/lena/x", lena) == "cannot open ~/x");
    CHECK(redact("cannot open /home/lena/x", {{}, {}, {}, "/home/lena"}) == "cannot open ~/x");
    CHECK(redact("cannot open /usr/x", {{}, {}, {}, "/usr"}) == "cannot open /usr/x");
    CHECK(redact("cannot open //x", {{}, {}, {}, "/"}) == "cannot open //x");
}

TEST_CASE("redacting twice is redacting once") {
    const Report once = redact(private_report(), identity);
    CHECK(everything(redact(once, identity)) == everything(once));
}

TEST_CASE("nothing else changes") {
    Report report = healthy_report();
    report.facts.cuda_devices[0].uuid = report.facts.nvml_devices[0].uuid = std::nullopt;
    const Identity ordinary{
        {"a", "cuda", "root", "test", "1000"},
        {"/", "/root", "/usr/local", "/work", "relative"},
        {"gpu", "localhost"}};
    CHECK(everything(redact(report, ordinary)) == everything(report));
}

TEST_CASE("a host's name that begins a text is hidden") {
    for (const char* rest :
         {": CUDNN_STATUS_NOT_INITIALIZED",
          ":123:456 [0] NCCL INFO CUDNN_STATUS_NOT_INITIALIZED"}) {
        Report report = healthy_report();
        report.sentence = "node7.local" + std::string(rest);
        const std::string sentence = redact(report, identity).sentence;
        CHECK(sentence.ends_with(rest));
        CHECK_FALSE(contains(sentence, "node7"));
    }
}

TEST_CASE("a long run of what may begin a code is searched once") {
    for (const char* unit : {"\\", "\x1b[", "%", "&#", "\\u001"}) {
        Report report = healthy_report();
        std::string& value = report.facts.host.environment["LD_LIBRARY_PATH"];
        while (value.size() < 1'000'000)
            value += unit;  // minutes, if each place were searched to the end
        CHECK(redact(report, identity).facts.host.environment["LD_LIBRARY_PATH"] == value);
    }
}

TEST_CASE("a user with an ordinary name is hidden where the name is one") {
    const Identity ordinary{{"cuda"}, {"/home/cuda"}, {}};
    CHECK(
        redact("/home/cuda/lib needs /usr/local/cuda/lib64 for cuda", ordinary) ==
        "/home/USER1/lib needs /usr/local/cuda/lib64 for cuda");
    CHECK(redact("/home/a/x: a", ordinary) == "/home/USER1/x: a");
}

TEST_CASE("private things are found in whatever is around them") {
    for (
        const auto& [text, hidden] : std::vector<std::pair<std::string, std::vector<std::string>>>{
            {"see https://example.org/a\n/home/lena/x", {"lena"}},
            {R"("see https://example.org/a\n/home/lena/x")", {"lena"}},
            {"/home/users/lena/x and /Users/home/otto", {"lena", "otto"}},
            {R"(C:\\Users\\Lena Maier\\x)", {"Lena", "Maier"}},
            {R"(c:\users\lena.maier.)", {"lena", "maier"}},
            {R"(\\wsl$\d\Users\a-very-long-name-of-a-user-with-more-than-forty-letters Maier\x)",
             {"a-very", "Maier"}},
            {"/mnt/d/users/Lena Maier-/x", {"Lena", "Maier"}},
            {"/home/J\xf6rg/x, user J\xf6rg", {"J\xf6rg"}},
            {std::string("\0/home/lena\0x", 13), {"lena"}},
            {"/home/lena:/home/otto", {"lena", "otto"}},
            {"Serial: serial no. 1234567", {"1234567"}},
            {"serial_number='ab-1234567'; on board ab-1234567", {"ab-1234567"}},
            {uuid + "," + uuid.substr(4) + ";" + mig, {"11111111", "2222", "5555", "aaaa", "bbbb"}},
            {"MIG-" + uuid + "/1/0", {"1111"}},
            {"GPU-11111111-2222-3 GPU-111111 GPU-11111111-2222-3333-4444-555",
             {"1111", "2222", "555"}},
            {"Nov 21 10:00:01 lab7x kernel: a\nNov 21 10:00:02 lab8x sshd[7]: b",
             {"lab7x", "lab8x"}},
            {R"("_HOSTNAME":"lab7x")", {"lab7x"}},
            {"hostname=lab7x.example.org.", {"lab7x"}},
            {"for host: hostname=lab7x", {"lab7x"}},
            {"hostname: x-hostname=lab7x", {"lab7x"}},
            {"/home/" + uuid.substr(4) + ".lena/x", {"1111", "lena"}},
            {"/mnt/c/Users/ Lena Maier/x", {"Lena", "Maier"}},
            {"\x1b[1mghp_0123456789abcdef and \x1b[31m/home/lena", {"ghp_", "lena"}},
            {R"(\x1b[1mghp_0123456789abcdef {\"a\":\"x\\thf_abcdefghijklmnopqrst\"} \nghp_0123456789abcdef)",
             {"ghp_", "hf_"}},
            {R"({\"password\":\"hunter2\"} {\"api_key\": \"abcdef\"})", {"hunter2", "abcdef"}},
            {"token%3Dghp_0123456789abcdef&sig=0123456789abcdef0123", {"0123456789abcdef"}},
            {"X-Api-Key: abcdef123, --api-key=geheim7 --password hunter2",
             {"abcdef123", "geheim7", "hunter2"}},
            {"ghp_0123\x1b[31m456789abcdef, ghp_0123456789abcdef\x1b[0mghij, "
             "INFO\x1b[1mghp_0123456789abcdef",
             {"0123", "456789", "ghij"}},
            {R"(hostname=lab7x \u001b[33mlab7x\x1b[0m: la\033[1mb7x)", {"lab7x", "b7x"}},
            {"%2Fhome%2Flena%2Fx?to=otto%40acme%2Eorg&key=%67%68%70%5F0123456789abcdef",
             {"lena", "otto", "acme", "0123456789"}},
            {"password=a%3Bb4711%20c", {"b4711"}},
            {"/home/Lena Maier/x, /home/lena van maier/y; /home/otto is in a/b",
             {"Lena", "Maier", "maier", "otto"}},
            {"password='two words' passwd=\"more, words\" {\\\"secret\\\":\\\"of three words\\\"} "
             "--token 'a b4711'",
             {"two", "words", "more", "three", "b4711"}},
            {"-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/=\nAbCd==\n-----END RSA PRIVATE KEY-----",
             {"MII", "AbCd"}},
            {"KEY=-----BEGIN PRIVATE KEY-----\\nMIIEow+/=", {"MII"}},
            {"tail: 5J2h/9+b3Qk1Zz0xYw==\n-----END OPENSSH PRIVATE KEY-----", {"5J2h", "Yw=="}},
            {"https://bob:hunter2@pypi.corp.example/simple", {"bob", "hunter2", "corp"}},
            {"failed to connect to [gpu017.acme.com]:29500; connect to host gpu018 port 22: "
             "refused",
             {"gpu017", "acme", "gpu018"}},
            {"rank 0 at 10.1.2.3, 10.23.45.67 failed, [10.1.99.2], ::ffff:10.1.2.3",
             {"10.1", "10.23"}},
            {"open '/home/Lena Maier' failed", {"Lena", "Maier"}},
            {"Connection from 10.3.2.15; 10.3.2.16 port 22; 10.0.0.17 is down", {"10.3", "10.0"}},
            {"hostname=lab-box7, then lab-box7.cluster.acme.com and LAB-BOX7",
             {"lab-box7", "acme", "LAB-BOX7"}},
            {"github_pat_0123456789,glpat-0123456789,xoxb-01234567890", {"0123456789"}}}) {
        const std::string redacted = redact(text, {});
        INFO(text << " -> " << redacted);
        for (const std::string& secret : hidden)
            CHECK_FALSE(contains(redacted, secret));
        CHECK(redact(redacted, {}) == redacted);
    }
}

TEST_CASE("a shortened UUID has the word of the whole, in letters of any size") {
    const std::string whole = "GPU-ABCDEF12-2222-3333-4444-555555555555";
    CHECK(
        redact(
            whole + " GPU-abcdef1 GPU-abcdef12-22 gpu-abcdef12-2222-3333-4444-555555555555", {}) ==
        "GPU-UUID-1 GPU-UUID-1 GPU-UUID-1 gpu-UUID-1");
}

TEST_CASE("names end where words end") {
    const Identity ida{{"ida"}, {}, {"ida-box"}};
    CHECK(
        redact("ida, ida_env, /scratch/ida-env, nvidia, idaho, Florida", ida) ==
        "USER1, USER1_env, /scratch/USER1-env, nvidia, idaho, Florida");
    CHECK(redact("on ida-box, not ida-boxes", ida) == "on HOST1, not USER1-boxes");
    CHECK(redact("is it in /home/ida. Or not", ida) == "is it in /home/USER1. Or not");
    CHECK(redact("/mnt/c/Users/ida is not at /x", ida) == "/mnt/c/Users/USER1 is not at /x");
}

TEST_CASE("names of hosts and tokens are hidden where logs show them") {
    const Identity nobody;
    for (const auto& [text, hidden] : std::map<std::string, std::string>{
             {"CUDA failure 2: out of memory ; GPU=0 ; hostname=lab-box7 ; expr=cudaMalloc",
              "lab-box7"},
             {"retrieving CUDA diagnostic information for host: lab-box7", "lab-box7"},
             {"kernel driver does not appear to be running on this host (lab-box7): /proc/driver",
              "lab-box7"},
             {"Nov 21 10:00:01 lab-box7 kernel: NVRM: Xid (PCI:0000:01:00): 79", "lab-box7"},
             {"Nov  1 10:00:01 lab-box7.example.org python3[77]: failed", "lab-box7"},
             {R"({"host":"lab-box7","log":"x"})", "lab-box7"},
             {"using ghp_0123456789abcdefghij for the clone", "ghp_0123456789abcdefghij"},
             {"AKIAABCDEFGHIJKLMNOP", "AKIAABCDEFGHIJKLMNOP"},
             {"token hf_abcdefghijklmnopqrst.", "hf_abcdefghijklmnopqrst"}}) {
        INFO(redact(text, nobody));
        CHECK_FALSE(contains(redact(text, nobody), hidden));
        CHECK(redact(redact(text, nobody), nobody) == redact(text, nobody));
    }
    CHECK(
        redact("hostname=lab-box7; on lab-box7 and lab-box7x", nobody) ==
        "hostname=HOST1; on HOST1 and lab-box7x");
}

TEST_CASE("what only looks private stays") {
    const Identity nobody;
    for (const std::string text :
         {"https://docs.nvidia.com/home/page and http://pypi.org/users/x",
          "GPU-accelerated, GPU-0, MIG-enabled",
          "serial: none, serialised",
          "/home/ and /home",
          "a/root, /rootfs, /root-fs",
          "8.9.7 1324419067243",
          "GPU-added-facade",
          "this host (1)",
          "10:00:01 INFO start:",
          "Nov 21 10:00:01 loss is nan",
          "sk-learn",
          "hostname: ",
          "user: invalid; password=None",
          "User: CUDNN_STATUS_INTERNAL_ERROR",
          "TensorRT 10.13.3.9"})
        CHECK(redact(text, nobody) == text);
}

TEST_CASE(
    "what a diagnosis needs stays: versions, libraries, products, devices, links of our tables") {
    for (const std::string text :
         {"cuDNN 9.1.0.70, nvidia-cudnn-cu12==9.1.0.70 and nvidia-curand-cu12==10.3.5.147",
          "10.3.5.147",
          "libcublas.so.10.2.1.243 => /usr/lib/x86_64-linux-gnu/libcublas.so.10.2.1.243",
          "Driver Version: 31.0.15.5222",
          "updated from 8.9.2.26 to 9.1.0.70",
          "version 8.9.7.29-1+cuda12.2",
          "cuDNN 14.1.0.70, NVIDIA driver version: 31.0.15.52",
          "cuDNN version 14.1.0.70 and 14.2.0.5, VBIOS 94.02.71.00",
          "nvidia-cublas-cu14 (14.2.1.3), cuRAND 10.40.0.35",
          "100%20 and 5%2F",
          "kernel 6.1.0-18-amd64, glibc 2.36",
          "pci 0000:01:00.0: [10de:2204] NVIDIA GeForce RTX 3090",
          "GPU 0000:41:00.0 of model 0x2204",
          "undefined symbol: cudnnCreate@libcudnn.so.9",
          "memcpy@GLIBC_2.14 in std::vector<int>::at",
          "2026-11-21 10:00:01.123456: W tensorflow/core/util.cc:44] x",
          "max_tokens=512 eos_token: 50256",
          "listening on 127.0.0.1:8888",
          "sm_60 sm_70 compute_90",
          "sha256:0123456789abcdef0123456789abcdef",
          "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
          "torch-2.4.1+cu121-cp311-cp311-linux_x86_64.whl",
          "uid 0:0, mode 0666",
          "pip install --index-url https://download.pytorch.org/whl/cu121 torch",
          "CUDA_VISIBLE_DEVICES=0,1,2",
          "[LTS] Ubuntu 22.04.4 LTS",
          "CUDNN_STATUS_NOT_INITIALIZED = 1001",
          "shape (64, 128, 256), 1e-05"})
        CHECK(redact(text, {}) == text);
    for (const auto& [name, table] : bundled_table_files().content) {
        INFO(name);
        CHECK(redact(table, {}) == table);
    }
}

TEST_CASE("a report states what was hidden, and how much") {
    const Report report = redact(private_report(), identity);
    const auto count = [&](const std::string& kind) {
        const auto* const things = find_by(*report.hidden, &HiddenThings::kind, kind);
        return things ? things->count : 0;
    };
    CHECK(count("host") == 2);
    CHECK(count("serial") == 1);
    CHECK(count("uuid") == 2);
    Report without = healthy_report();
    without.facts.cuda_devices[0].uuid = without.facts.nvml_devices[0].uuid = std::nullopt;
    CHECK_FALSE(redact(without, {}).hidden.has_value());
    Report diagnosis = private_report();
    diagnosis.facts.tool.stages = {"log"};
    diagnosis.about = About::log;
    diagnosis.facts.log.emplace().lines = 1;
    for (const Report& one : {report, redact(diagnosis, identity)})
        for (const char* format : {"text", "markdown", "html"}) {
            std::string text = (*find_named(all_formats(), format))->write(outline_of(one), {});
            std::ranges::replace(text, '\n', ' ');
            INFO(format);
            CHECK(contains(text, "2 x uuid (--show-private shows them)"));
        }
}

TEST_CASE("ids of rules, the tool's stamp and versions of packages are never touched") {
    Report report = healthy_report();
    auto& packages = report.facts.pythons.emplace_back().packages;
    packages.emplace_back().version = "14.0.1.2";
    packages.emplace_back().version = "at 14.0.1.2";
    const Identity driver{{"wsl", "libcuda", "driver_missing", "rnncheck"}, {}, {"driver_missing"}};
    const Report redacted = redact(report, driver);
    CHECK(redacted.verdicts[0].rule == "driver_missing");
    CHECK(redacted.tool.name == "rnncheck");
    CHECK(redacted.facts.pythons[0].packages[0].version == "14.0.1.2");
    CHECK(redacted.facts.pythons[0].packages[1].version == "at IP-1");
}

TEST_CASE("a hostile text is redacted in linear time") {
    std::string text;
    for (int i = 0; i < 200'000; ++i)
        text += "/home/u" + std::to_string(i) + "/serial GPU-1 ";
    const std::string redacted = redact(text, {});
    CHECK(contains(redacted, "/home/USER200000/"));
    for (const std::string part :
         {"serial-", "sk-", "https://", "Nov 21 10:00:01 ", "\\users\\a ", "GPU-1111-"}) {
        std::string repeated;
        while (repeated.size() < 200'000)
            repeated += part;
        CHECK_FALSE(redact(repeated, {}).empty());
    }
    CHECK(
        redact(std::string(1'000'000, '-') + std::string(1'000'000, 'a'), {}).size() == 2'000'000);
}
