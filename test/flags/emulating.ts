/** Proofs of the flags for emulation. test/emulation has their effects on kinds, fields, gates, expressions and stored values. */
import assert from "node:assert/strict";
import type { Proof, Served } from "./served.ts";
import { served, statusOf } from "./served.ts";

const storage = "/apis/storage.k8s.io";

async function versionOf({ client }: Served): Promise<readonly unknown[]> {
  const { emulationMajor, emulationMinor, minCompatibilityMajor, minCompatibilityMinor, minor } = JSON.parse(
    (await client.ask("/version")).text,
  );
  return [minor, `${emulationMajor}.${emulationMinor}`, `${minCompatibilityMajor}.${minCompatibilityMinor}`];
}
const refused = (args: readonly string[], message: string) =>
  assert.rejects(served(args, () => Promise.resolve()), (error: Error) => {
    assert.ok(error.message.split("\n").includes(message), error.message);
    return true;
  });
const classes = (version: string) => `${storage}/${version}/volumeattributesclasses`;

export const emulating = {
  "emulated-version": async () => {
    await served(["--emulated-version=1.33", `--runtime-config=storage.k8s.io/v1beta1=true`], async (server) => {
      assert.deepEqual(await versionOf(server), ["35", "1.33", "1.32"]);
      assert.deepEqual([await statusOf(server, classes("v1beta1")), await statusOf(server, classes("v1"))], [200, 404]);
      assert.match(
        (await server.client.ask("/metrics")).text,
        /^version_info\{binary="1\.35",component="kube",emulation="1\.33",min_compat="1\.32"\} 1$/m,
      );
    });
    await refused(["--emulated-version=1.31"], "emulation version 1.31 is not between [1.32, 1.35.0]");
    await refused(["--emulated-version=1.36"], "emulation version 1.36 is not between [1.32, 1.35.0]");
  },
  "min-compatibility-version": async () => {
    await served(["--min-compatibility-version=kube=1.33"], async (server) => {
      assert.deepEqual(await versionOf(server), ["35", "1.35", "1.33"]);
    });
    await refused(
      ["--emulated-version=1.34", "--min-compatibility-version=1.35"],
      "minCompatibilityVersion version 1.35 is not between [1.32, 1.34]",
    );
  },
  "emulation-forward-compatible": async () => {
    const args = ["--emulated-version=1.33", "--runtime-config=storage.k8s.io/v1beta1=true", "--emulation-forward-compatible"];
    await served(args, async (server) => {
      assert.deepEqual([await statusOf(server, classes("v1beta1")), await statusOf(server, classes("v1"))], [200, 200]);
    });
    await refused(
      ["--emulation-forward-compatible"],
      "ServerRunOptions.EmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version",
    );
  },
  "runtime-config-emulation-forward-compatible": async () => {
    const args = ["--emulated-version=1.33", "--runtime-config=storage.k8s.io/v1/volumeattributesclasses=true"];
    await refused(
      args,
      "cannot enable resource storage.k8s.io/v1, Resource=volumeattributesclasses in runtime-config because it is introduced at 1.34 after " +
        "the current version 1.33. Consider setting --runtime-config-emulation-forward-compatible=true",
    );
    await served([...args, "--runtime-config-emulation-forward-compatible"], async (server) => {
      assert.equal(await statusOf(server, classes("v1")), 200);
    });
    await refused(
      ["--runtime-config-emulation-forward-compatible"],
      "ServerRunOptions.RuntimeConfigEmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version",
    );
  },
} satisfies Record<string, Proof>;
