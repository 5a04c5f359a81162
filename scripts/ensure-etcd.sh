#!/bin/sh
# Installs etcd and etcdctl for the tests, if apt-get can do it without a prompt. Without them, the tests that need them are skipped.
# Always exits with 0 and prints one line with the result.
set -u

packages=""
command -v etcd >/dev/null 2>&1 || packages="etcd-server"
command -v etcdctl >/dev/null 2>&1 || packages="${packages:+$packages }etcd-client"
if [ -z "$packages" ]; then
  echo "etcd is installed: $(command -v etcd)"
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "no apt-get to install $packages: the tests that need it are skipped"
  exit 0
fi
if [ "$(id -u)" -eq 0 ]; then
  root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  root="sudo -n"
else
  echo "no permission to install $packages: the tests that need it are skipped"
  exit 0
fi

# A policy-rc.d that exits with 101 prevents the packages from starting their service. An existing one is not changed.
policy=/usr/sbin/policy-rc.d
made=""
# Remove our policy-rc.d on every exit.
trap 'if [ -n "$made" ]; then $root rm -f "$policy"; fi' EXIT
trap 'exit 1' INT TERM
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | $root tee "$policy" >/dev/null 2>&1 && $root chmod 755 "$policy" && made=yes
fi
install() {
  $root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $packages >/dev/null 2>&1
}
install || { $root apt-get -qq update >/dev/null 2>&1 && install; }

if command -v etcd >/dev/null 2>&1 && command -v etcdctl >/dev/null 2>&1; then
  echo "etcd was installed: $(command -v etcd)"
else
  echo "apt-get could not install $packages: the tests that need it are skipped"
fi
exit 0
