import assert from "node:assert/strict";
import { test } from "node:test";
import { type EmulationConfig, emulationMistakes, releasesOf } from "./emulation-settings.ts";
import { readArguments } from "./parse.ts";

const config = (
  emulated: readonly string[],
  minCompatibility: readonly string[] = [],
  forward = false,
  runtime = false,
): EmulationConfig => ({
  "emulated-version": emulated,
  "min-compatibility-version": minCompatibility,
  "emulation-forward-compatible": forward,
  "runtime-config-emulation-forward-compatible": runtime,
});

test("releasesOf() has this program's release by default, and the one before as the oldest compatible one", () => {
  const of = (emulated: readonly string[], minCompatibility: readonly string[] = []) => {
    const { emulated: release, minCompatibility: least } = releasesOf(config(emulated, minCompatibility));
    return [release, least];
  };
  assert.deepEqual(of([]), ["1.35", "1.34"]);
  assert.deepEqual(of(["1.34"]), ["1.34", "1.33"]);
  assert.deepEqual(of(["kube=1.33"]), ["1.33", "1.32"]);
  assert.deepEqual(of(["v1.32"]), ["1.32", "1.32"]);
  assert.deepEqual(of(["1.34.0"], ["1.32"]), ["1.34", "1.32"]);
});

test("emulationMistakes() has kube-apiserver's bounds and messages", () => {
  const cases: readonly (readonly [EmulationConfig, ...string[]])[] = [
    [config(["1.32"])],
    [config(["1.35"], ["1.35"])],
    [
      config(["1.31"]),
      "emulation version 1.31 is not between [1.32, 1.35.0]",
      "minCompatibilityVersion version 1.32 is not between [1.32, 1.31]",
    ],
    [config(["1.36"]), "emulation version 1.36 is not between [1.32, 1.35.0]"],
    [config(["2.0"]), "emulation version 2.0 is not between [1.32, 1.35.0]"],
    [config(["1.33"], ["1.31"]), "minCompatibilityVersion version 1.31 is not between [1.32, 1.33]"],
    [config([], ["1.36"]), "minCompatibilityVersion version 1.36 is not between [1.32, 1.35]"],
    [config(["abc"]), 'could not parse "abc" as version'],
    [config(["1.2.3.4"]), 'could not parse "1.2.3.4" as version'],
    [config(["1"]), 'illegal version string "1"'],
    [config(["1.35.1"]), "patch version not allowed, got: kube=1.35.1"],
    [config(["foo=1.35"]), "component not registered: foo"],
    [config(["1.35", "1.34"]), "duplicate version flag, kube=1.35 and kube=1.34"],
    [config(["1.34"], [], true, true)],
    [
      config([], [], true, true),
      "ServerRunOptions.EmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version",
      "ServerRunOptions.RuntimeConfigEmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version",
    ],
  ];
  for (const [given, ...mistakes] of cases) assert.deepEqual(emulationMistakes(given), mistakes, JSON.stringify(given));
});

test("--feature-gates accepts the component of a gate, and rejects other components with upstream's message", () => {
  const of = (value: string) => {
    const read = readArguments([`--feature-gates=${value}`], () => "");
    return read.help ? undefined : { gates: [...read.config["feature-gates"]], mistakes: read.mistakes };
  };
  assert.deepEqual(of("kube:A=true,B=false"), { gates: [["A", true], ["B", false]], mistakes: [] });
  assert.deepEqual(of("foo:A=true"), { gates: [], mistakes: ["component not registered: foo"] });
});
