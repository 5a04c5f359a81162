#!/bin/sh
# Installs etcd for the tests that need one, where that is possible without asking anyone; they are skipped otherwise.
# Never fails: what it did, or why it did nothing, is one line.
set -u

if command -v etcd >/dev/null 2>&1; then
  echo "etcd is there: $(command -v etcd)"
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "no etcd, and no apt-get to install it: tests against etcd are skipped"
  exit 0
fi
if [ "$(id -u)" -eq 0 ]; then
  root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  root="sudo -n"
else
  echo "no etcd, and no right to install it: tests against etcd are skipped"
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
  $root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install etcd-server >/dev/null 2>&1
}
install || { $root apt-get -qq update >/dev/null 2>&1 && install; }

if command -v etcd >/dev/null 2>&1; then
  echo "etcd is installed now: $(command -v etcd)"
else
  echo "no etcd, and apt-get could not install it: tests against etcd are skipped"
fi
exit 0
