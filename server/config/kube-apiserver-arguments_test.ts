import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { compatFlag, kubeApiserverArguments } from "./kube-apiserver-arguments.ts";
import { settings } from "./settings.ts";
import { ignoredFlags } from "./upstream-flags.ts";

test("no ignored flag is a setting", () => {
  const both = [...ignoredFlags.withValue, ...ignoredFlags.withoutValue].filter((name) => Object.hasOwn(settings, name));
  assert.deepEqual(both, []);
  assert.ok(!ignoredFlags.withValue.has("encryption-provider-config"), "objects would be stored in the clear");
});

test("kubeApiserverArguments() keeps flags that exist here, and names the others", () => {
  const words = [
    compatFlag,
    "--peer-advertise-ip=127.0.0.1",
    "--kubelet-timeout",
    "10s",
    "--allow-privileged",
    "",
    "--egress-selector-config-file=direct.yaml",
    "--profiling=false",
    "--secure-port",
    "7443",
    "--authorization-mode=Node,RBAC",
    "--feature-gates=WatchList=true,NotHere=true",
    "--runtime-config=api/all=true,api/legacy=false,batch/v1=true,v1/secrets=false",
    "--no-such-flag",
    "-v=2",
  ];
  assert.deepEqual(kubeApiserverArguments(words, { gates: ["WatchList"], groupVersions: ["v1"], steps: [], modes: [] }), {
    args: [
      "--secure-port",
      "7443",
      "--authorization-mode=RBAC",
      "--feature-gates=WatchList=true",
      "--runtime-config=api/all=true,v1/secrets=false",
      "--no-such-flag",
      "-v=2",
      "--controllers=-*",
      "--data-dir=:memory:",
    ],
    ignored: [
      "--peer-advertise-ip",
      "--kubelet-timeout",
      "--allow-privileged",
      "--egress-selector-config-file",
      "--profiling",
      "--authorization-mode=Node",
      "--feature-gates=NotHere=true",
      "--runtime-config=api/legacy=false",
      "--runtime-config=batch/v1=true",
    ],
  });
});

test("kubeApiserverArguments() leaves the controllers to a kube-controller-manager, unless the command line or a file chooses them", () => {
  const of = (...words: readonly string[]) => kubeApiserverArguments(words).args.filter((each) => each.startsWith("--controllers"));
  assert.deepEqual(of(), ["--controllers=-*"]);
  assert.deepEqual(of("--controllers=*"), ["--controllers=*"]);
  assert.deepEqual(of("--controllers", "namespace"), ["--controllers"]);
  assert.deepEqual(of("--config=thole.json"), []);
  // A simulated cluster has no other.
  assert.deepEqual(of("--simulate"), []);
  assert.deepEqual(of("--simulate=false"), ["--controllers=-*"]);
});

test("kubeApiserverArguments() rejects anonymous requests with the mode AlwaysAllow, which would allow them everything", () => {
  const of = (...words: readonly string[]) => kubeApiserverArguments(words).args.filter((each) => each.startsWith("--an"));
  assert.deepEqual(of("--authorization-mode=RBAC"), []);
  assert.deepEqual(of("--authorization-mode=RBAC", "--anonymous-auth=true"), ["--anonymous-auth=true"]);
  assert.deepEqual(of("--authorization-mode", "RBAC,AlwaysAllow"), ["--anonymous-auth=false"]);
  assert.deepEqual(of("--anonymous-auth=true", "--authorization-mode=AlwaysAllow"), ["--anonymous-auth=false"]);
  assert.deepEqual(of("--authorization-mode=AlwaysAllow", "--authentication-config=a.yaml"), []);
});

test("kubeApiserverArguments() keeps the mode Node if a plugin has it", () => {
  const of = (modes: readonly string[]) =>
    kubeApiserverArguments(["--authorization-mode=Node,RBAC"], { gates: [], groupVersions: [], steps: [], modes }).args[0];
  assert.equal(of(["RBAC", "Node"]), "--authorization-mode=Node,RBAC");
  assert.equal(of(["RBAC"]), "--authorization-mode=RBAC");
});

test("kubeApiserverArguments() takes the certificate in --cert-dir, as kube-apiserver, unless one is named", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-compat-"));
  try {
    assert.deepEqual(kubeApiserverArguments([`--cert-dir=${folder}`]).args, ["--controllers=-*", "--data-dir=:memory:"]);
    for (const file of ["apiserver.crt", "apiserver.key"]) await writeFile(join(folder, file), "");
    assert.deepEqual(kubeApiserverArguments(["--cert-dir", folder]).args.slice(0, 2), [
      `--tls-cert-file=${join(folder, "apiserver.crt")}`,
      `--tls-private-key-file=${join(folder, "apiserver.key")}`,
    ]);
    assert.deepEqual(kubeApiserverArguments([`--cert-dir=${folder}`, "--tls-cert-file=a"]).args, [
      "--tls-cert-file=a",
      "--controllers=-*",
      "--data-dir=:memory:",
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("kubeApiserverArguments() drops empty words, but not the empty value of a flag", () => {
  const { args } = kubeApiserverArguments(["", "--vmodule", "", "", "--v=2", ""]);
  assert.deepEqual(args, ["--vmodule", "", "--v=2", "--controllers=-*", "--data-dir=:memory:"]);
});

test("kubeApiserverArguments() keeps a data folder, which no kube-apiserver has and somebody has chosen", () => {
  assert.deepEqual(kubeApiserverArguments(["--v=2", "--data-dir=/var/lib/thole"]).args, [
    "--v=2",
    "--data-dir=/var/lib/thole",
    "--controllers=-*",
  ]);
  assert.deepEqual(kubeApiserverArguments(["--data-dir", "x", "--v=2"]).args, ["--data-dir", "x", "--v=2", "--controllers=-*"]);
});
