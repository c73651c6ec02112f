#!/usr/bin/env bash
# Fetches Debian's user-mode driver libraries (non-free) and unpacks them into DIRECTORY/{470,535}; installs nothing and
# touches no file outside DIRECTORY. usage: fetch_drivers.sh DIRECTORY     exit 77 when the packages cannot be had
set -euo pipefail
mkdir -p "$1" && cd "$1"
[ -e done ] && exit 0
command -v apt-get >/dev/null && command -v dpkg >/dev/null || { echo "SKIPPED: no apt here"; exit 77; }

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || { echo "SKIPPED: Debian's keyring is not installed"; exit 77; }
mkdir -p parts lists/partial cache/archives/partial
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    grep -E '^(URIs:|deb )' | grep -oE 'https?://[^ ]*/debian(/| |$)' | head -1 | tr -d ' ' || true)
[ -n "$mirror" ] || { echo "SKIPPED: this machine's apt knows no Debian mirror"; exit 77; }
cat > parts/drivers.sources <<EOF
Types: deb
URIs: $mirror
Suites: bookworm
Components: non-free
Signed-By: $keyring
EOF
here=$PWD
apt() {
    apt-get -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$here/parts" -o "Dir::State::Lists=$here/lists" \
        -o "Dir::Cache=$here/cache" -o APT::Architecture=amd64 -o APT::Architectures=amd64 -o APT::Sandbox::User=root "$@"
}
apt update && apt download libcuda1 libnvidia-ml1 libnvidia-tesla-470-cuda1 libnvidia-tesla-470-ml1 ||
    { echo "SKIPPED: Debian's non-free packages cannot be fetched here"; exit 77; }
for package in *.deb; do
    case $package in *470*) branch=470 ;; *) branch=535 ;; esac
    dpkg -x "$package" "unpacked-$branch"
done
for branch in 470 535; do
    ln -sfn "$(dirname "$(find "$here/unpacked-$branch" -name libcuda.so.1 | head -1)")" "$branch"
done
touch done
