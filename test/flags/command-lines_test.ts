// In Deno's suite only: reading a command line is the same on both runtimes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plugins } from "../../plugins/mod.ts";
import { kubeApiserverArguments } from "../../server/config/kube-apiserver-arguments.ts";
import { activeConfigOf } from "../../server/config/active-config.ts";
import { knownNames } from "../../server/config/known-names.ts";
import { parseArguments } from "../../server/config/parse.ts";
import { startSkipped } from "../real-server.ts";

/** The flags with which tools start kube-apiserver: facts from their releases. Values are examples. */
const commandLines: Readonly<Record<string, string>> = {
  "kwokctl 0.8 and its main branch, binary runtime": `
    --etcd-prefix=/registry --etcd-servers=http://127.0.0.1:2379 --allow-privileged=true --endpoint-reconciler-type=none
    --runtime-config=api/legacy=false,api/alpha=false --feature-gates=KubeletTracing=true --authorization-mode=Node,RBAC
    --bind-address=0.0.0.0 --secure-port=6443 --tls-cert-file=admin.crt --tls-private-key-file=admin.key --client-ca-file=ca.crt
    --service-account-key-file=admin.key --service-account-signing-key-file=admin.key
    --service-account-issuer=https://kubernetes.default.svc.cluster.local --proxy-client-key-file=admin.key
    --proxy-client-cert-file=admin.crt --requestheader-client-ca-file=ca.crt --requestheader-allowed-names=kwok-admin
    --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group
    --requestheader-extra-headers-prefix=X-Remote-Extra- --audit-policy-file=audit.yaml --audit-log-path=audit.log
    --tracing-config-file=tracing.yaml --v=4`,
  "kwokctl 0.8, without admission and limits": `
    --etcd-prefix=/registry --etcd-servers=http://127.0.0.1:2379 --allow-privileged=true --admission-control= --max-requests-inflight=0
    --max-mutating-requests-inflight=0 --enable-priority-and-fairness=false --bind-address=0.0.0.0 --secure-port=6443`,
  "envtest of controller-runtime 0.24 and 0.25": `
    --allow-privileged=true --authorization-mode=RBAC --bind-address=127.0.0.1 --cert-dir=certificates
    --disable-admission-plugins=ServiceAccount --etcd-servers=http://127.0.0.1:2379 --secure-port=6443 --service-account-issuer=https://127.0.0.1:6443/
    --service-account-key-file=sa-signer.crt --service-account-signing-key-file=sa-signer.key --service-cluster-ip-range=10.0.0.0/24
    --client-ca-file=client-cert-auth-ca.crt`,
};

const known = knownNames(plugins);
const wordsOf = (text: string) => text.trim().split(/\s+/);

for (const [what, text] of Object.entries(commandLines)) {
  test(`the command line of ${what} is taken`, { skip: startSkipped("deno") }, () => {
    const { args, ignored } = kubeApiserverArguments(wordsOf(text), known);
    const parsed = parseArguments(args, () => "");
    assert.ok(!parsed.help);
    activeConfigOf(parsed.config, plugins); // Throws every mistake.
    for (const mode of parsed.config["authorization-mode"]) assert.ok(known.modes.includes(mode), mode);
    assert.deepEqual(ignored.filter((each) => each.startsWith("--authorization-mode")), []);
  });
}

test("the modes of kwokctl are both in force", { skip: startSkipped("deno") }, () => {
  const { args } = kubeApiserverArguments(wordsOf(commandLines["kwokctl 0.8 and its main branch, binary runtime"]!), known);
  assert.ok(args.includes("--authorization-mode=Node,RBAC"));
});
