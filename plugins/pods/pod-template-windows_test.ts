import assert from "node:assert/strict";
import { test } from "node:test";
import { errors } from "./test-template.ts";

const windows = (windowsOptions: object) => ({ securityContext: { windowsOptions } });
const container = (name: string, rest: object = {}) => ({ name, image: "a", resources: {}, ...rest });
const hostProcess = (name: string, on: boolean) => container(name, windows({ hostProcess: on }));

test("hostProcess requires hostNetwork, and applies to all containers of a pod or to none", () => {
  const both = [hostProcess("a", true), hostProcess("b", true)];
  assert.deepEqual(errors({ hostNetwork: true, containers: both }), []);
  assert.deepEqual(errors({ hostNetwork: true, containers: [container("a")], ...windows({ hostProcess: true }) }), []);
  assert.deepEqual(errors({ containers: [hostProcess("a", false)] }), []);
  assert.deepEqual(errors({ containers: both }), [
    "hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers",
  ]);
  assert.deepEqual(errors({ hostNetwork: true, initContainers: [container("i")], containers: both }), [
    'template.spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
  ]);
});

test("hostProcess of a container must equal that of its pod if both are set", () => {
  assert.deepEqual(
    errors({ hostNetwork: true, containers: [hostProcess("a", false), container("b")], ...windows({ hostProcess: true }) }),
    [
      "containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are " +
      "specified, was true",
      'template.spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
    ],
  );
  assert.equal(errors({ hostNetwork: true, initContainers: [hostProcess("i", true)], ...windows({ hostProcess: false }) })?.length, 2);
});

test("runAsUserName is a valid Windows user name", () => {
  const user = (runAsUserName: string) => errors(windows({ runAsUserName }))?.map((text) => text.slice(text.lastIndexOf("runAsUserName")));
  const domain = "d".repeat(63);
  for (const name of ["a", "NT AUTHORITY\\SYSTEM", "corp.example.com\\a b", `${domain}.${domain}\\a`, "u".repeat(104)]) {
    assert.deepEqual(user(name), [], name);
  }
  assert.deepEqual(user(""), ["runAsUserName cannot be an empty string"]);
  assert.deepEqual(user("a\tb"), ["runAsUserName cannot contain control characters"]);
  assert.deepEqual(user("a\\b\\c"), ["runAsUserName cannot contain more than one backslash"]);
  assert.deepEqual(user("a\\"), ["runAsUserName's User cannot be empty"]);
  assert.deepEqual(user("a\\. ."), ["runAsUserName's User cannot contain only periods or spaces"]);
  assert.deepEqual(user("\\a"), ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]);
  assert.deepEqual(user("u".repeat(105)), ["runAsUserName's User length must not be longer than 104 characters"]);
  assert.deepEqual(user("a@b"), [`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`]);
  assert.deepEqual(user(`${"d".repeat(256)}\\a`), [
    "runAsUserName's Domain length must be under 256 characters",
    "runAsUserName's Domain doesn't match the NetBios nor the DNS format",
  ]);
});

test("gmsaCredentialSpec has 1 byte to 64 KiB, and gmsaCredentialSpecName is a valid name", () => {
  const spec = (gmsaCredentialSpec: string) => errors(windows({ gmsaCredentialSpec }))?.length;
  assert.deepEqual([spec("{}"), spec("x".repeat(64 * 1024)), spec("x".repeat(64 * 1024 + 1)), spec("")], [0, 0, 1, 1]);
  assert.equal(errors(windows({ gmsaCredentialSpecName: "A" }))?.length, 1);
});

test("a pod with os.name rejects the fields of the other system", () => {
  assert.deepEqual(errors({ os: { name: "linux" }, ...windows({}), containers: [hostProcess("a", false)] }), [
    "securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
    "containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
  ]);
  const linuxOnly = { securityContext: { runAsUser: 1, privileged: false } };
  assert.deepEqual(
    errors({
      os: { name: "windows" },
      shareProcessNamespace: false,
      hostPID: true,
      securityContext: { fsGroup: 1, supplementalGroups: [] },
      resources: { limits: { cpu: "1" } },
      containers: [container("a", linuxOnly)],
    }),
    [
      "resources: Forbidden: may not be set for a windows pod",
      "hostPID: Forbidden: cannot be set for a windows pod",
      "securityContext.fsGroup: Forbidden: cannot be set for a windows pod",
      "shareProcessNamespace: Forbidden: cannot be set for a windows pod",
      "containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod",
      "containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
    ],
  );
  assert.deepEqual(errors({ os: { name: "windows" }, hostPID: false }), []);
});

test("hostUsers false excludes the host namespaces, and procMount Unmasked requires it", () => {
  assert.deepEqual(errors({ hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true }), [
    "hostNetwork: Forbidden: when `hostUsers` is false",
    "HostPID: Forbidden: when `hostUsers` is false",
    "HostIPC: Forbidden: when `hostUsers` is false",
  ]);
  const unmasked = { containers: [container("a", { securityContext: { procMount: "Unmasked" } })] };
  assert.deepEqual(errors(unmasked), [
    'containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
  ]);
  assert.deepEqual(errors({ ...unmasked, hostUsers: false }), []);
});
