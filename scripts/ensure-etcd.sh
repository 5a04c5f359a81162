#!/bin/sh
# Installs etcd, and etcdctl, for the tests that need them, where that is possible without asking anyone; they are skipped otherwise.
# Never fails: what it did, or why it did nothing, is one line.
set -u

packages=""
command -v etcd >/dev/null 2>&1 || packages="etcd-server"
command -v etcdctl >/dev/null 2>&1 || packages="${packages:+$packages }etcd-client"
if [ -z "$packages" ]; then
  echo "etcd is there: $(command -v etcd)"
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
  echo "no right to install $packages: the tests that need it are skipped"
  exit 0
fi

# A package's service is not started where policy-rc.d says 101; one that is there already is left alone.
policy=/usr/sbin/policy-rc.d
made=""
# Whatever happens, our policy goes again.
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
  echo "etcd is there now: $(command -v etcd)"
else
  echo "apt-get could not install $packages: the tests that need it are skipped"
fi
exit 0
