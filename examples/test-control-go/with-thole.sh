#!/bin/sh
# with-thole.sh COMMAND...: starts one server for all packages, runs the command with its address and token, and stops it.
#
#     sh with-thole.sh go test ./...
set -eu
folder=$(mktemp -d)
mkfifo "$folder/input"
${THOLE:-node_modules/.bin/thole} --test-control --data-dir=:memory: --secure-port=0 --exit-on-stdin-close <"$folder/input" >"$folder/output" &
server=$!
# The server ends when this end closes, even if this shell is killed.
exec 3>"$folder/input"
trap 'exec 3>&-; wait $server || true; rm -r "$folder"' EXIT
until grep -q '^export KUBECONFIG=' "$folder/output"; do
  kill -0 $server
  sleep 0.05
done
eval "$(grep '^export ' "$folder/output")"
"$@"
