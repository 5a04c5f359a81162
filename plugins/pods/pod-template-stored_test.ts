// An update accepts invalid values that were stored before a rule existed, so that the rest of the template can be changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, errors, errorsOf, make, one } from "./test-template.ts";
import { podTemplates } from "./pod-template.ts";

const nameOf = (text: string) => text.slice(0, text.indexOf(":"));
const spread = (rest: object) => ({
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", ...rest }],
});
const bad = { matchExpressions: [{ key: "a", operator: "In", values: ["-"] }] };
const required = "requiredDuringSchedulingIgnoredDuringExecution";
const near = (labelSelector: object) => ({ affinity: { podAffinity: { [required]: [{ topologyKey: "zone", labelSelector }] } } });
const onNodes = (values: readonly string[]) => ({
  affinity: { nodeAffinity: { [required]: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values }] }] } } },
});
const token = (path: string) => ({ volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path } }] } }] });
const pages = (amount: string) => one({ resources: { limits: { "hugepages-2Mi": amount, cpu: "1" } } });
const twice = [{ key: "a", operator: "Exists" }, { key: "a", operator: "Exists" }];
const devices = { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }], hostUsers: false };
const withDevice = (devicePath: string) => ({ ...devices, ...one({ volumeDevices: [{ name: "v", devicePath }] }) });

/** An invalid spec, another one that breaks the same rule, and the path of the error for a new template. */
const lenient: Readonly<Record<string, readonly [wrong: object, other: object, at: string]>> = {
  "quantities of huge pages": [pages("3Mi"), pages("5Mi"), "containers[0].resources.limits[hugepages-2Mi]"],
  "quantities of huge pages in the overhead": [
    { overhead: { "hugepages-2Mi": "3Mi", cpu: "1" } },
    pages("5Mi"),
    "overhead.limits[hugepages-2Mi]",
  ],
  "labels in selectors of affinities": [
    near(bad),
    near({ matchExpressions: [{ key: "b", operator: "NotIn", values: ["a b"] }] }),
    `affinity.podAffinity.${required}[0].labelSelector.matchExpressions[0].values[0]`,
  ],
  "labels of nodes": [
    onNodes(["-"]),
    onNodes(["a b"]),
    `affinity.nodeAffinity.${required}.nodeSelectorTerms[0].matchExpressions[0].values[0]`,
  ],
  "selectors of spread constraints": [
    spread({ labelSelector: bad }),
    spread({ labelSelector: { matchLabels: { "a b": "c" } } }),
    "topologySpreadConstraints[0].labelSelector.matchExpressions[0].values[0]",
  ],
  "sysctls of namespaces shared with the node": [
    { hostNetwork: true, securityContext: { sysctls: [{ name: "net.core.somaxconn", value: "1" }] } },
    { hostIPC: true, securityContext: { sysctls: [{ name: "kernel.sem", value: "1" }] } },
    "securityContext.sysctls[0].name",
  ],
  "paths of tokens": [token("../a"), token("/a"), "volumes[0].projected.path"],
  "host network with user namespace": [
    { hostUsers: false, hostNetwork: true },
    { hostUsers: false, hostNetwork: true },
    "hostNetwork",
  ],
  "devices with user namespace": [withDevice("/a"), withDevice("/b"), "containers[0].volumeDevices"],
};

for (const [what, [wrong, other, path]] of Object.entries(lenient)) {
  test(`invalid ${what} are rejected, unless the stored template has some`, () => {
    assert.deepEqual(errors(wrong)?.map(nameOf), [path]);
    assert.deepEqual(errorsOf(wrong, {})?.map(nameOf), [path]);
    assert.deepEqual(errorsOf(wrong, wrong), []);
    assert.deepEqual(errorsOf(other, wrong), []);
    assert.equal(errorsOf({ ...wrong, restartPolicy: "Sometimes" }, wrong)?.length, 1);
  });
}

test("the pod deletion cost is a 32-bit integer, unless the stored one is not", () => {
  const cost = (value: string) => ({ annotations: { "controller.kubernetes.io/pod-deletion-cost": value } });
  const wrong = (value: string) => podTemplates.create?.(make({}, cost(value)), at).map(({ path, detail }) => [path, detail]);
  const error = [["template.annotations[controller.kubernetes.io/pod-deletion-cost]", "must be a 32bit integer"]];
  for (const value of ["0", "-0", "2147483647", "-2147483648"]) assert.deepEqual(wrong(value), [], value);
  for (const value of ["", "+1", "01", "1.5", "2147483648", "-2147483649", "-"]) assert.deepEqual(wrong(value), error, value);
  assert.equal(errorsOf({}, {}, cost("x"), cost("1"))?.length, 1);
  assert.deepEqual(errorsOf({}, {}, cost("y"), cost("x")), []);
});

test("a key of matchLabelKeys must not be in the selector; with duplicates in the stored one, the older rule applies", () => {
  const keys = (matchExpressions: readonly object[]) => spread({ labelSelector: { matchExpressions }, matchLabelKeys: ["a"] });
  assert.deepEqual(errors(keys(twice.slice(1))), []);
  assert.deepEqual(errors(keys(twice)), [
    'topologySpreadConstraints[0][0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
  ]);
  assert.deepEqual(errorsOf(keys(twice.slice(1)), keys(twice)), [
    'topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
  ]);
  assert.deepEqual(errorsOf(spread({}), keys(twice)), []);
});

test("sysctls may be written with slashes, and those of other namespaces than the shared one are allowed", () => {
  const set = (name: string, rest: object) => errors({ ...rest, securityContext: { sysctls: [{ name, value: "1" }] } });
  assert.equal(set("net/ipv4/ip_forward", { hostNetwork: true })?.length, 1);
  assert.equal(set("fs.mqueue.msg_max", { hostIPC: true })?.length, 1);
  assert.deepEqual(set("net.ipv4.ip_forward", { hostIPC: true }), []);
  assert.deepEqual(set("kernel.semaphore", { hostIPC: true }), []);
});

test("DNS search domains may have underscores, and errors have their index", () => {
  const search = (...searches: readonly string[]) => errors({ dnsConfig: { searches } });
  assert.deepEqual(search(".", "_tcp.a_b.example.com."), []);
  assert.deepEqual(search(".", "a_.b")?.map(nameOf), ["dnsConfig.searches[1]"]);
});
