#!/bin/sh
# Makes the folder that KUBEBUILDER_ASSETS names: sh assets.sh FOLDER
# It has Thole as kube-apiserver, and the etcd and kubectl of this machine. Thole is the package below node_modules, which `npm install` brings.
set -eu
folder=${1:?usage: sh assets.sh FOLDER}
package=$(cd "$(dirname "$0")" && pwd)/node_modules/thole
[ -f "$package/bin/thole.js" ] || { echo "assets.sh: no package in $package: run npm install" >&2; exit 1; }
node=${THOLE_NODE:-$(command -v node)}
mkdir -p "$folder"
printf '#!/bin/sh\nexec "%s" "%s/bin/thole.js" --compat=kube-apiserver "$@"\n' "$node" "$package" > "$folder/kube-apiserver"
chmod +x "$folder/kube-apiserver"
ln -sf "$(command -v etcd)" "$folder/etcd"
if command -v kubectl > /dev/null; then ln -sf "$(command -v kubectl)" "$folder/kubectl"; fi
