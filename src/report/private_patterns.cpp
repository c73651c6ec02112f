#include "report/private_patterns.hpp"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "base/text.hpp"

namespace rnncheck {

namespace {

/// How the secrets of services begin, each by its rule in
/// https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml
struct TokenPrefix {
    std::string_view regex;
    std::string_view rule;  ///< of gitleaks
};

constexpr TokenPrefix token_prefixes[] = {
    {"A3-[0-9A-Z]{6}-", "1password-secret-key"},
    {"ops_eyJ", "1password-service-account-token"},
    {"p8e-", "adobe-client-secret"},
    {"AGE-SECRET-KEY-1", "age-secret-key"},
    {R"(pat[0-9A-Za-z]{14}\.)", "airtable-personnal-access-token"},
    {"LTAI[0-9A-Za-z]{12}", "alibaba-access-key-id"},
    {"AKCp", "artifactory-api-key"},
    {"cmVmd", "artifactory-reference-token"},
    {"(?:A3T[0-9A-Z]|AKIA|ASIA|ABIA|ACCA)", "aws-access-token"},
    {"ABSK[0-9A-Za-z+/]{16}", "aws-amazon-bedrock-api-key-long-lived"},
    {R"([0-9A-Za-z_~.]{3}[0-9]Q~)", "azure-ad-client-secret"},
    {"(?i:clojars_)", "clojars-api-token"},
    {"dapi[0-9a-f]{16}", "databricks-api-token"},
    {"do[opr]_v1_", "digitalocean-pat"},
    {R"(dp\.pt\.)", "doppler-api-token"},
    {"duffel_(?:test|live)_", "duffel-api-token"},
    {R"(dt0c01\.)", "dynatrace-api-token"},
    {"EZ[AT]K", "easypost-api-token"},
    {"EAA[AMC][0-9A-Za-z]{16}", "facebook-page-access-token"},
    {"FLW(?:SEC|PUB)K_TEST-", "flutterwave-secret-key"},
    {"(?:fo1|fm1[ar]|fm2)_", "flyio-access-token"},
    {"fio-u-", "frameio-api-token"},
    {"AIza", "gcp-api-key"},
    {"(?:gh[opsur]_|github_pat_)", "github-pat"},
    {"(?:gl(?:cbt|dt|ffct|ft|imt|agent|oas|pat|ptt|rt|soat)-|GR1348941)", "gitlab-pat"},
    {"gl(?:c|sa)_", "grafana-service-account-token"},
    {"HRKU-", "heroku-api-key-v2"},
    {"(?:hf|api_org)_[0-9A-Za-z]{16}", "huggingface-access-token"},
    {"ico-[0-9A-Za-z]{16}", "infracost-api-token"},
    {"ey[0-9A-Za-z]{17,}", "jwt"},
    {"lin_api_", "linear-api-key"},
    {"ntn_[0-9]{6}", "notion-api-token"},
    {"nvapi-", "none; https://docs.nvidia.com/ngc/latest/ngc-user-guide.html"},
    {"npm_[0-9A-Za-z]{16}", "npm-access-token"},
    {"API-[0-9A-Z]{16}", "octopus-deploy-api-key"},
    {"sk-(?:[a-z]+[0-9]*-)*[0-9A-Za-z]{16}", "openai-api-key, anthropic-api-key"},
    {"sha256~", "openshift-user-token"},
    {"pplx-[0-9A-Za-z]{16}", "perplexity-api-key"},
    {"pscale_(?:tkn|oauth|pw)_", "planetscale-api-token"},
    {"PMAK-", "postman-api-token"},
    {"pnu_[0-9A-Za-z]{16}", "prefect-api-token"},
    {"pul-[0-9a-f]{16}", "pulumi-api-token"},
    {"pypi-AgE", "pypi-upload-token"},
    {"rdme_[0-9a-z]{16}", "readme-api-token"},
    {"rubygems_", "rubygems-api-token"},
    {"tk-us-[0-9A-Za-z]{12}", "scalingo-api-token"},
    {R"(SG\.[0-9A-Za-z]{16})", "sendgrid-api-token"},
    {"xkeysib-", "sendinblue-api-token"},
    {"sntry[su]_", "sentry-org-token"},
    {"sm_[aps]at_", "settlemint-personal-access-token"},
    {"shippo_(?:live|test)_", "shippo-api-token"},
    {"shp(?:at|ca|pa|ss)_", "shopify-access-token"},
    {"x(?:app|ox[a-z])-", "slack-bot-token"},
    {"sgp_", "sourcegraph-access-token"},
    {"sq0atp-", "square-access-token"},
    {"[sr]k_(?:test|live|prod)_", "stripe-access-token"},
    {"SK[0-9A-Fa-f]{16}", "twilio-api-key"},
    {R"(hv[bs]\.)", "vault-service-token"}};

/// Where private things stand. A match's group is the private thing; a match without one is passed over.
struct PrivatePattern {
    const PrivateKind& kind;
    std::string text;
    mutable std::unique_ptr<re2::RE2> compiled = nullptr;

    /// Compiled when it is needed, which most are not. Of bytes: a text may be in any coding.
    const re2::RE2& regex() const {
        if (!compiled) compiled = std::make_unique<re2::RE2>(text, re2::RE2::Latin1);
        return *compiled;
    }
};

std::string any_token() {
    std::string regex = "(?:";
    for (const TokenPrefix& prefix : token_prefixes) regex += std::string(prefix.regex) + '|';
    regex.back() = ')';
    return regex;
}

/// A terminal's codes, as they are or as C, JSON and shells write them.
constexpr std::string_view terminal_codes = R"((?:\x1b|\\+x1[Bb]|\\+u001[Bb]|\\+033|\\+e)\[[0-9;:?]*[A-Za-z])";

std::span<const PrivatePattern> private_patterns() {
    // These end in a letter or digit; what follows them begins a word all the same.
    static const std::string escapes =
        std::string(terminal_codes) + R"(|\\+(?:[bfnrtv]|u00[0-9A-Fa-f]{2}|x[0-9A-Fa-f]{2}))";
    // Of words: RE2's \b would take '_' for a part of one.
    static const std::string begin = R"((?:^|[^0-9A-Za-z\x80-\xff]|)" + escapes + ")",
                             end = R"((?:[^0-9A-Za-z\x80-\xff]|$))";
    static const std::string host_name = R"(([0-9.-]*[A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z-])?))";
    // A name in a path, without the dot of a sentence; with blanks when a separator follows soon.
    static const std::string ends = R"(\x00-\x20\x7f/\\:;,="'`()\[\]{}<>|*?&!#$)", last = "[^" + ends + ".-]";
    static const std::string name = "[^" + ends + "]*" + last;
    static const std::string long_name = "([^" + ends + "]*(?:[^" + ends + "]| ){0,39}" + last + ")[.-]*";
    static const std::string homes = "(?:/homes?|(?-i:/home[0-9]+)|/users)+/";
    // Two or three words before a separator, where no English sentence goes on.
    static const std::string several_words = homes + "(" + name +
                                             ") (?:and|as|at|but|by|for|from|has|in|is|of|on|or|not|to|was|with) |" +
                                             homes + "(" + name + "(?: [A-Za-z\\x80-\\xff][^" + ends + "]*){1,2})/|";
    static const std::string windows = R"((?:\\{1,2}users)+\\{1,2})", windows_disk = "/mnt/[a-z]/(?:home|users)/";
    static const std::string h = "[0-9A-Fa-f]", uuid = h + "{8}(?:-" + h + "{4})";
    // Versions have four numbers too: behind a word that says so, with a leading 0 (VBIOS 94.02.71.00), or, as
    // NVIDIA's, with a first number below 14: cuDNN 9.1.0.70, cuRAND 10.3.5.147.
    static const std::string number = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])",
                             three = "(?:[.]" + number + "){3}";
    static const std::string versions =
        "(?i:version|release|driver|cuda|cudnn|cublas|nccl|tensorrt|nvidia|vbios|firmware|toolkit|python|torch|"
        "tensorflow|build)[a-z]*[ :=\"']*[0-9]+" +
        three + "(?:,? (?:to |and |or |-> )?[0-9]+" + three + ")*|";
    static const std::string high = "(?:1[4-9]|1[0-9][0-9]|[2-9][0-9]|2[0-4][0-9]|25[0-5])" + three;
    // No library of NVIDIA has a version 10 whose second or third number is 30 or more.
    static const std::string not_small = "(?:[3-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])";
    static const std::string ten =
        "10[.](?:" + not_small + "[.]" + number + "|" + number + "[.]" + not_small + ")[.]" + number;
    static const std::string v6 = "(?:" + h + "{1,4}:){7}" + h + "{1,4}|(?:[Ff][CcDdEe]" + h + "{2}|[23]" + h +
                                  "{3})(?::" + h + "{1,4}){0,6}::(?:" + h + "{1,4}(?::" + h +
                                  "{1,4}){0,6})?|::[Ff]{4}:" + number + three;
    static const std::string value =
        R"re(\\*["']?[ \t]*[=:][ \t]*(?:"((?:[^"\\\n]|\\.)+)|'([^'\n]+)|\\+["']([^"'\\\n]+)|([^\s"'\\,;&]+)))re";
    static const PrivatePattern patterns[] = {
        {private_kinds::uuid, begin + "(" + uuid + "{3}-" + h + "{12})" + end},
        // CUDA_VISIBLE_DEVICES allows the beginning of a UUID.
        {private_kinds::uuid,
         begin + "(?:MIG|GPU)-(" + uuid + "{3}-" + h + "{1,11}|" + uuid + "{0,2}-" + h + "{1,4}|" + h + "{6,8})" + end},
        // A page of the web below /home is no home.
        {private_kinds::user, R"((?i)https?://[^\s"'<>\\]*|)" + windows + long_name + R"(\\|)" + windows_disk +
                                  long_name + "/|" + several_words + "(?:" + homes + "|" + windows + ")(" + name + ")"},
        // Settings, id(1), Windows' account numbers
        {private_kinds::user, "(?i)" + begin + "(?:user(?:_?name)?|login|logname|owner)[=:] ?[\"']?(" + name +
                                  ")|[ug]id=[0-9]+[(](" + name + ")[)]|(S-1-5-21(?:-[0-9]+){3,4})"},
        {private_kinds::serial,
         "(?i)" + begin + R"((?:serial[ _.-]*(?:number|num|no)?[ \t_.:=#"']*)+([0-9A-Za-z\x80-\xff-]+))"},
        {private_kinds::host,
         begin + R"re((?:(?i:hostname|nodename)(?:=|: |": ?")|host": ?"|for host: |this host \()+)re" + host_name},
        // syslog: "Nov 21 10:00:01 NAME kernel:"
        {private_kinds::host, "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ 0-9][0-9] [0-9:]{8} " + host_name +
                                  R"( [0-9A-Za-z_./()\[\]-]*:)"},
        // URLs; names in private domains (RFC 6762, appendix G, and RFC 8375); Slurm, NCCL, and Windows as installed
        {private_kinds::host, R"((?i)[a-z][0-9a-z+.-]*://(?:[^\s/@"']*@)?)" + host_name},
        {private_kinds::host,
         "(?i)" + begin +
             "([0-9a-z][0-9a-z.-]*[.](?:internal|intranet|private|corp|home|lan|local|localdomain|home[.]arpa))" + end},
        {private_kinds::host, "(?:srun: error: |[*]{3} (?:JOB|STEP) [0-9.+]+ ON )" + host_name},
        {private_kinds::host, begin + host_name + R"(:[0-9]+:[0-9]+ \[[0-9]+\] NCCL )"},
        // torch.distributed, ssh, curl
        {private_kinds::host,
         "(?i)" + begin + R"(connect(?:ed|ing)? to (?:host )?\[?)" + host_name + R"((?:\]?:[0-9]{2,5}| port [0-9]))"},
        {private_kinds::host, begin + "((?:DESKTOP|LAPTOP|WIN)-[0-9A-Z]{7,11})" + end},
        {private_kinds::email,
         R"(([0-9A-Za-z._%+-]+@[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*\.[A-Za-z]{2,})(?:[^0-9A-Za-z.-]|\.(?:[^0-9A-Za-z]|$)|$))"},
        {private_kinds::email, begin + R"(([a-z_][0-9a-z_-]*@[A-Za-z][0-9A-Za-z-]*):[~/])"},  // a shell's prompt, ssh
        {private_kinds::ip,
         versions + "(?:^|[^0-9A-Za-z._=-])(" + high + "|" + ten + ")(?:[^0-9A-Za-z.-]|[.](?:[^0-9]|$)|$)"},
        {private_kinds::ip, "(?i)(?:" + begin +
                                "(?:ip|ipv4|ip_?addr|addr|address|host|hostname|server|peer|inet|gateway|endpoint|"
                                "nameserver|rhost|master_addr|connect(?:ed|ing)? "
                                "(?:to|from)|rank [0-9]+ at)|://|@)[ =:\"'/\\[(]*(" +
                                number + three + ")" + end},
        {private_kinds::ip, begin + "(" + number + three + ")(?::[0-9]{2,5}|/[0-9]{1,2})" + end},
        {private_kinds::ip, begin + "(" + v6 + ")" + end},
        {private_kinds::mac, begin + "(" + h + "{2}(?::" + h + "{2}){5,19}|" + h + "{2}(?:-" + h + "{2}){5})" + end},
        {private_kinds::ssid, "(?i)" + begin + R"(b?e?ssid[ \t]*[=:][ \t]*(?:["']([^"'\n]+)["']|([^\s"',;]+)))"},
        // Another vendor's board, as the kernel writes it: [8086:a1b2]
        {private_kinds::pci, R"(\[(?i:10de):|\[([0-9A-Fa-f]{4}:[0-9A-Fa-f]{4})\])"},
        // "NVRM: Xid (PCI:0000:01:00): 13, pid=4711, name=python, ..."
        {private_kinds::process, "pid='?[0-9]+'?, name=([^,\\s<>]+)"},
        {private_kinds::secret, R"(://([^\s/@:"']*:[^\s/@"']+)@)"},
        {private_kinds::secret,
         "(?i)" + begin + R"((?:pass(?:word|wd|phrase)?|pwd|secret(?:_?key)?|api[-_ ]?key|access[-_]?key))" + value},
        {private_kinds::secret,
         R"((?i)(?:^|\s)--(?:password|passwd|token|secret|api-key)[ =](?:"([^"]+)|'([^']+)|([^\s"']+)))"},
        // PEM (RFC 7468), also cut off at one end
        {private_kinds::secret,
         R"((?s)-----BEGIN [0-9A-Z ]*PRIVATE KEY(?: BLOCK)?-----(.+?)(?:-----END|$)|([0-9A-Za-z+/=\s\\]{16,})-----END [0-9A-Z ]*PRIVATE KEY)"},
        {private_kinds::secret,
         "(?i)" + begin +
             R"((?:(?:token|auth|authorization|cookie|sig|signature|x-amz-[a-z-]+)\\*["']?[ \t]*[=:][ \t]*\\*["']?(?:(?:bearer|basic|token)[ \t]+)?|bearer[ \t]+)([0-9A-Za-z_.~+/=-]{16,}))"},
        {private_kinds::token, begin + "(" + any_token() + "[0-9A-Za-z_.~+/=-]+)"},
    };
    return patterns;
}

/// Where everybody can read: the hosts of documentation and packages.
bool is_public_host(std::string_view host) {
    constexpr std::string_view domains =
        " nvidia.com pytorch.org tensorflow.org github.com github.io githubusercontent.com gitlab.com pypi.org "
        "pythonhosted.org python.org google.com googleapis.com googlesource.com anaconda.com anaconda.org conda.io "
        "keras.io onnxruntime.ai opennmt.net jax.dev readthedocs.io paddlepaddle.org.cn paddleocr.ai visualstudio.com "
        "microsoft.com ubuntu.com debian.org kernel.org man7.org sourceware.org schedmd.com ibm.com ucw.cz openpbs.org "
        "kubernetes.io apptainer.org linuxfoundation.org cnblogs.com opengroup.org huggingface.co docker.com docker.io "
        "stackoverflow.com gnu.org json-schema.org w3.org ";
    for (; !host.empty(); host.remove_prefix(std::min(host.find('.'), host.size() - 1) + 1))
        if (contains(domains, " " + std::string(host) + " ")) return true;
    return false;
}

/// What has the form of a private thing and is none: values that stand for nothing, statuses, this computer, GLIBC's
/// symbols, libraries (memcpy@libc.so).
bool is_everybodys(const PrivateKind& kind, std::string_view part) {
    constexpr std::string_view values = " none null nil true false invalid unknown empty undefined ";
    if (&kind == &private_kinds::host) return is_public_host(part);
    if (&kind == &private_kinds::user || &kind == &private_kinds::secret)
        return contains(values, " " + lower(part) + " ") || part.starts_with("CUDNN_") || part.starts_with("CUDA_");
    if (&kind == &private_kinds::ip) return part.starts_with("127.") || part.starts_with("0.");
    return &kind == &private_kinds::email && part.ends_with(".so");
}

void add_places(std::string_view text, const PrivatePattern& pattern, std::vector<PrivatePlace>& places) {
    std::array<re2::StringPiece, 6> found;  // the match and the groups, of which at most one is there
    for (std::size_t from = 0;
         pattern.regex().Match({text.data(), text.size()}, from, text.size(), re2::RE2::UNANCHORED, found.data(),
                               static_cast<int>(found.size()));) {
        const auto group = std::find_if(found.begin() + 1, found.end(), [](const auto& g) { return g.data(); });
        const auto& part = group == found.end() ? found.front() : *group;
        const auto begin = static_cast<std::size_t>(part.data() - text.data());
        const std::size_t end = begin + part.size();
        // "hostname" may be taken for a name before it introduces one.
        from = &pattern.kind == &private_kinds::host ? begin : end;
        if (group != found.end() && part.size() >= pattern.kind.shortest &&
            !is_everybodys(pattern.kind, {part.data(), part.size()}) &&
            (!pattern.kind.has_digit || std::any_of(part.begin(), part.end(), is_digit)))
            places.push_back({begin, end, &pattern.kind});
    }
}

/// The patterns that match somewhere, found in one pass.
std::vector<int> matching_patterns(std::string_view text) {
    static const auto set = [] {
        re2::RE2::Options options(re2::RE2::Latin1);
        options.set_max_mem(64 << 20);
        auto made = std::make_unique<re2::RE2::Set>(options, re2::RE2::UNANCHORED);
        for (const PrivatePattern& pattern : private_patterns()) made->Add(pattern.text, nullptr);
        made->Compile();
        return made;
    }();
    std::vector<int> found;
    re2::RE2::Set::ErrorInfo error{re2::RE2::Set::kNoError};
    if (!set->Match({text.data(), text.size()}, &found, &error) && error.kind != re2::RE2::Set::kNoError)
        for (std::size_t i = 0; i < private_patterns().size(); ++i) found.push_back(static_cast<int>(i));
    return found;
}

std::vector<PrivatePlace> places_in(std::string_view text) {
    std::vector<PrivatePlace> places;
    std::vector<int> patterns = matching_patterns(text);
    std::ranges::sort(patterns);
    for (const int i : patterns) add_places(text, private_patterns()[static_cast<std::size_t>(i)], places);
    return places;
}

/// Takes terminal codes out, and decodes %2F (RFC 3986).
void decode(std::string_view original, SearchedText& to) {
    static const re2::RE2 code("(?:" + std::string(terminal_codes) + ")|%([0-9A-Fa-f]{2})", re2::RE2::Latin1);
    std::array<re2::StringPiece, 2> found;
    for (std::size_t at = 0; at < original.size();) {
        const bool is_found = code.Match({original.data(), original.size()}, at, original.size(), re2::RE2::UNANCHORED,
                                         found.data(), static_cast<int>(found.size()));
        const auto end = is_found ? static_cast<std::size_t>(found[0].data() - original.data()) : original.size();
        for (; at < end; ++at) {
            to.text += original[at];
            to.from.push_back(at);
        }
        if (is_found && found[1].data()) {
            to.text += static_cast<char>(std::stoi(std::string(found[1]), nullptr, 16));
            to.from.push_back(at);
        }
        if (is_found) at += found[0].size();
    }
    to.from.push_back(original.size());
    to.from.front() = 0;
}

}  // namespace

SearchedText searched(std::string_view original) {
    SearchedText all{.places = places_in(original)};
    if (original.find_first_of("\x1b\\%") != std::string_view::npos) decode(original, all);
    if (all.text.size() == original.size() || all.from.empty()) {
        all.text = original;
        all.from.clear();
    } else {
        const auto in_text = [&](std::size_t at) {
            return static_cast<std::size_t>(std::ranges::lower_bound(all.from, at) - all.from.begin());
        };
        for (PrivatePlace& place : all.places) place = {in_text(place.begin), in_text(place.end), place.kind};
        append(all.places, places_in(all.text));
    }
    std::ranges::stable_sort(all.places, [](const PrivatePlace& a, const PrivatePlace& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    return all;
}

}  // namespace rnncheck
