#!/bin/sh
# Builds the audit for another architecture and lets it judge a bundle under
# qemu: audit.json must be, byte for byte, the one that this machine gives.
#
#   foreign.sh aarch64|s390x SOURCE NATIVE-AUDIT SUBJECT FOLDER [OPTION...]
#
# Debian packages: g++-aarch64-linux-gnu or g++-s390x-linux-gnu, qemu-user, and
# those that sysroot.sh fetches. The audits are given the options. Leaves its build in FOLDER/ARCHITECTURE. Exit
# status 77 where a package is missing: skipped.
set -eu

if [ $# -lt 5 ]; then
  echo "error: an architecture, sources, an audit, a subject and a folder are asked for" >&2
  exit 2
fi
machine=$1
source=$2
native=$3
subject=$4
folder=$5/$machine
shift 5
triple=$machine-linux-gnu
here=$(cd "$(dirname "$0")" && pwd)
case $machine in
  aarch64) debian=arm64 ;;
  *) debian=$machine ;;
esac

for needed in "$triple-g++" "qemu-$machine" apt-get dpkg-deb; do
  if ! command -v "$needed" > /dev/null; then
    echo "skipped: no $needed; install g++-$triple and qemu-user" >&2
    exit 77
  fi
done

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
sh "$here/sysroot.sh" "$debian" "$folder/root" >&2
cmake -S "$source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -DEXHIBIT_FOREIGN_TRIPLE="$triple" \
  -DEXHIBIT_FOREIGN_ROOT="$folder/root" -DEXHIBIT_COMPILER=OFF -DEXHIBIT_TESTS=OFF >&2
cmake --build "$folder/build" --target exhibit-audit >&2

# The loader comes with the cross compiler, the libraries from the root.
foreign() {
  "qemu-$machine" -L "/usr/$triple" \
    -E "LD_LIBRARY_PATH=$folder/root/usr/lib/$triple:/usr/$triple/lib" \
    "$folder/build/bin/exhibit-audit" "$@"
}

for form in "" --table --report; do
  # shellcheck disable=SC2086
  expected=0 && "$native" --quiet $form "$@" "$subject" > "$folder/native" || expected=$?
  # shellcheck disable=SC2086
  found=0 && foreign --quiet $form "$@" "$subject" > "$folder/foreign" || found=$?
  if [ "$expected" -ne "$found" ]; then
    echo "error: status $found on $machine, $expected here" >&2
    exit 1
  fi
  cmp "$folder/native" "$folder/foreign"
done
echo "$machine: the same $(wc -c < "$folder/foreign") bytes of report, status $found"
