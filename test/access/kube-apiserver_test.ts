import assert from "node:assert/strict";
import { test } from "node:test";
import { kubeApiserverMissing, minorOf, startKubeApiserver } from "./kube-apiserver.ts";

test("minorOf() reads the version of a release, and the help of a development build", () => {
  assert.equal(minorOf("Kubernetes v1.36.0-alpha.1\n"), 36);
  assert.equal(minorOf("Kubernetes v1.9.11\n"), 9);
  assert.equal(minorOf("Kubernetes v0.0.0-master+8e16b12fda5b\n"), undefined);
  const help = "  --emulated-version strings   The versions different components emulate.\n   Options are: kube=1.33..1.36(default:1.36)\n";
  assert.equal(minorOf(help), 36);
  assert.equal(minorOf("  --etcd-servers strings\n"), undefined, "of releases before 1.31");
});

test("startKubeApiserver() emulates the release of this server, also with a newer program", { skip: kubeApiserverMissing() }, async () => {
  const server = await startKubeApiserver([]);
  try {
    const { emulationMajor, emulationMinor, major, minor } = (await server.admin.ask("/version")).json();
    // A program of that release has no other to emulate.
    assert.equal(`${emulationMajor ?? major}.${emulationMinor ?? minor}`, "1.35");
  } finally {
    await server.close();
  }
});
