#!/bin/sh
# Puts the libraries of another architecture, that the audit links, into a folder.
#
#   sysroot.sh arm64|s390x FOLDER
#
# Packages of this Debian release, by APT with a state of its own: nothing on the
# machine is changed and nobody need be root. They are fetched and unpacked.
set -eu

if [ $# -ne 2 ]; then
  echo "error: an architecture and a folder are asked for" >&2
  exit 2
fi
architecture=$1
folder=$2
packages="libssl-dev libssl3 liblzma-dev liblzma5 zlib1g-dev zlib1g
  libmpfr-dev libmpfr6 libgmp-dev libgmp10 nlohmann-json3-dev libcli11-dev"

[ -e "$folder/complete" ] && exit 0
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/fetched"
touch "$folder/apt/status"
folder=$(cd "$folder" && pwd)

apt() {
  apt-get -q -o APT::Architecture="$architecture" -o APT::Architectures::="$architecture" \
    -o Dir::State="$folder/apt" -o Dir::State::lists="$folder/apt/lists" \
    -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt/cache" \
    -o APT::Sandbox::User= "$@"
}

apt update
cd "$folder/fetched"
# Without the architecture a package for all of them is not found twice.
# shellcheck disable=SC2086
apt download $packages
for package in ./*.deb; do
  dpkg-deb --extract "$package" "$folder"
done
touch "$folder/complete"
