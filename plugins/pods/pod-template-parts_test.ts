// Validation of single parts of a pod template, with upstream's texts and order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { podTemplates } from "./pod-template.ts";
import { at, errors, errorsOf, make, one } from "./test-template.ts";

const pathOf = (text: string) => text.slice(0, text.indexOf(": "));
const code = { operator: "In", values: [1] };

test("restartPolicyRules: at most 20, with exit codes, and only with a restartPolicy", () => {
  const rules = (restartPolicyRules: readonly object[], restartPolicy?: string) =>
    errors(one({ restartPolicyRules, ...(restartPolicy === undefined ? {} : { restartPolicy }) }));
  const rule = { action: "Restart", exitCodes: code };
  assert.deepEqual(rules(Array(20).fill(rule), "Never"), []);
  assert.deepEqual(rules(Array(21).fill(rule), "Never"), ["containers[0].restartPolicyRules: Too many: 21: must have at most 20 items"]);
  assert.deepEqual(rules([{ action: "Restart" }]), [
    "containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used",
    "containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified",
  ]);
  const codes = (count: number) =>
    rules([{ ...rule, exitCodes: { ...code, values: Array.from({ length: count }, (_, i) => i) } }], "Never");
  assert.deepEqual(codes(255), []);
  assert.deepEqual(codes(256), ["containers[0].restartPolicyRules[0].exitCodes.values: Too many: 256: must have at most 255 items"]);
});

const init = (rest: object) => ({ initContainers: [{ name: "i", image: "a", resources: {}, ...rest }] });

test("restartPolicyRules are not allowed for sidecar init containers", () => {
  const rules = { restartPolicyRules: [{ action: "X" }] };
  assert.deepEqual(errors(init({ restartPolicy: "Always", ...rules })), [
    "initContainers[0].restartPolicyRules: Forbidden: restartPolicyRules are not allowed for init containers with restart policy Always",
  ]);
});

test("RestartContainer in resizePolicy of an init container that is no sidecar is rejected, unless it is stored", () => {
  const sized = (restartPolicy: string) => init({ resizePolicy: [{ resourceName: "cpu", restartPolicy }] });
  assert.deepEqual(errors(sized("NotRequired")), []);
  const refused = [
    'initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": ' +
    "must not be set to 'RestartContainer' for non-sidecar initContainers",
  ];
  assert.deepEqual(errors(sized("RestartContainer")), refused);
  assert.deepEqual(errorsOf(sized("RestartContainer"), sized("NotRequired")), refused);
  assert.deepEqual(errorsOf(sized("RestartContainer"), sized("RestartContainer")), []);
  assert.deepEqual(
    errors(init({ restartPolicy: "Always", resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] })),
    [],
  );
});

test("resizePolicy must be NotRequired in a pod with restartPolicy Never", () => {
  const sized = (restartPolicy: string) =>
    errors({ restartPolicy: "Never", ...one({ resizePolicy: [{ resourceName: "cpu", restartPolicy }] }) });
  const error = (value: string) =>
    `containers[0].resizePolicy: Invalid value: "${value}": must be 'NotRequired' when pod \`restartPolicy\` is 'Never'`;
  assert.deepEqual(sized("NotRequired"), []);
  assert.deepEqual(sized("RestartContainer"), [error("RestartContainer")]);
  assert.deepEqual(sized(""), ["containers[0].resizePolicy: Required value", error("")]);
});

test("resource claims of containers refer to claims of the pod, without duplicates", () => {
  const used = (claims: readonly object[], ...names: readonly string[]) =>
    errors({ resourceClaims: names.map((name) => ({ name, resourceClaimName: "x" })), ...one({ resources: { claims } }) });
  const at = "containers[0].resources.claims";
  assert.deepEqual(used([{ name: "a", request: "r" }, { name: "b" }], "b", "a"), []);
  assert.deepEqual(used([{ name: "a" }]), [
    `${at}[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty`,
  ]);
  assert.deepEqual(used([{ name: "c" }], "b", "a"), [
    `${at}[0]: Not found: "c": must be one of the names in pod.spec.resourceClaims: a, b`,
  ]);
  assert.deepEqual(used([{ name: "" }], "a"), [`${at}[0]: Required value`]);
  assert.deepEqual(used([{ name: "a" }, { name: "a", request: "r" }], "a"), [`${at}[1]: Duplicate value: "a"`]);
  assert.deepEqual(used([{ name: "a", request: "r" }, { name: "a", request: "r" }], "a"), [`${at}[1]: Duplicate value: "a/r"`]);
  assert.deepEqual(used([{ name: "a", request: "r" }, { name: "a" }], "a"), [`${at}[1]: Duplicate value: "a"`]);
  const twice = Array(2).fill(`${at}[2]: Duplicate value: "a"`);
  assert.deepEqual(used([{ name: "a", request: "r" }, { name: "a", request: "s" }, { name: "a" }, { name: "b" }], "a", "b"), twice);
  assert.deepEqual(used([{ name: "a", request: "R_" }], "a")?.map(pathOf), [`${at}[0].request`]);
});

test("an AppArmor profile of unknown type gives one error only", () => {
  const profile = (type: string) => errors(one({ securityContext: { appArmorProfile: { type, localhostProfile: "a" } } }))?.map(pathOf);
  const at = "containers[0].securityContext.appArmorProfile";
  assert.deepEqual(profile("X"), [`${at}.type`]);
  assert.deepEqual(profile(""), [`${at}.type`]);
  assert.deepEqual(profile("Unconfined"), [`${at}.localhostProfile`]);
});

test("the annotation key of a fieldRef is converted to lower case before validation", () => {
  const env = (fieldPath: string) => errors(one({ env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } } }] }));
  assert.deepEqual(env("metadata.annotations['A']"), []);
  assert.match(env("metadata.annotations['A b']")?.[0] ?? "", /fieldRef: Invalid value: "a b"/);
  assert.match(env("metadata.labels['A b']")?.[0] ?? "", /fieldRef: Invalid value: "A b"/);
});

test("shareProcessNamespace and hostPID exclude each other; the error is among those of the security context", () => {
  const both = errors({ hostPID: true, shareProcessNamespace: true, securityContext: { fsGroup: -1, supplementalGroups: [-1] } });
  assert.deepEqual(both?.map(pathOf), [
    "securityContext.fsGroup",
    "securityContext.supplementalGroups[0]",
    "securityContext.shareProcessNamespace",
  ]);
});

test("preferred node affinity accepts invalid label values", () => {
  const preference = { matchExpressions: [{ key: "a", operator: "In", values: ["x y"] }] };
  const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
  assert.deepEqual(errors({ affinity: { nodeAffinity } }), []);
});

const projected = (...sources: readonly object[]) => errors({ volumes: [{ name: "v", projected: { sources } }] });
const first = "volumes[0].projected.sources[0]";

test("all sources of a projected volume entry are validated, and more than one is an error", () => {
  assert.deepEqual(projected({ secret: {}, configMap: {} }), [
    `${first}.secret.name: Required value`,
    `${first}.configMap.name: Required value`,
    `${first}: Forbidden: may not specify more than 1 volume type per source`,
  ]);
});

test("clusterTrustBundle has a name or a signerName", () => {
  const bundle = (rest: object) => projected({ clusterTrustBundle: { path: "p", ...rest } });
  const at = `${first}.clusterTrustBundle`;
  assert.deepEqual([bundle({ name: "a" }), bundle({ name: "x.io:y:a" })], [[], []]);
  assert.equal(
    bundle({ name: ":" })?.[0],
    `${at}.name: Invalid value: ":": not a valid clustertrustbundlename: ClusterTrustBundle without signer name must not have ":" in its name`,
  );
  assert.deepEqual(bundle({ name: "" })?.map(pathOf), [`${at}.name`, `${at}.name`]);
  assert.deepEqual(bundle({ signerName: "a" }), [
    `${at}.signerName: Invalid value: "a": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
  ]);
  assert.deepEqual(bundle({ signerName: "A.b/c" })?.map((text) => text.slice(0, text.indexOf(" a lower"))), [
    `${at}.signerName: Invalid value: "A.b": validating label "A":`,
  ]);
  const empty = { clusterTrustBundle: { name: "a", path: "" } };
  assert.deepEqual(projected(empty, empty)?.at(-1), 'volumes[0].projected: Invalid value: "": conflicting duplicate paths');
});

test("maxExpirationSeconds of a podCertificate depends on the signer", () => {
  const lasts = (signerName: string, maxExpirationSeconds: number) =>
    projected({ podCertificate: { signerName, keyType: "ED25519", maxExpirationSeconds, keyPath: "k" } })?.map(pathOf);
  const at = [`${first}.podCertificate.maxExpirationSeconds`];
  assert.deepEqual([lasts("a.b/c", 3600), lasts("a.b/c", 7_862_400), lasts("kubernetes.io/c", 86_400)], [[], [], []]);
  assert.deepEqual([lasts("a.b/c", 3599), lasts("a.b/c", 7_862_401)], [at, at]);
  assert.deepEqual([lasts("kubernetes.io/c", 86_401), lasts("x.kubernetes.io/c", 86_401), lasts("xkubernetes.io/c", 86_401)], [at, at, []]);
  assert.deepEqual(projected({ podCertificate: { signerName: "a.b/c", keyType: "x", userAnnotations: { A: "" } } }), [
    `${first}.podCertificate.userAnnotations: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")`,
    `${first}.podCertificate.keyType: Unsupported value: "x": supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"`,
    `${first}.podCertificate: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath`,
  ]);
});

test("resources and signers of the platform use --platform-name", () => {
  const certificate = (signerName: string) => {
    const podCertificate = { signerName, keyType: "ED25519", keyPath: "k", maxExpirationSeconds: 86_401 };
    return { ...one({}), volumes: [{ name: "v", projected: { sources: [{ podCertificate }] } }] };
  };
  const asked = (name: string) => one({ resources: { requests: { [name]: "1500m" } } });
  const wrong = (platform: string, spec: object) =>
    podTemplates.create?.(make(spec), { ...at, names: { ...defaultNames, platform } })?.map(({ detail }) => detail);
  const short = ["if provided, maxExpirationSeconds must be <= 86400"];
  const whole = ["must be an integer", "Limit must be set for non overcommitable resources"];
  assert.deepEqual([wrong("kubernetes", certificate("kubernetes.io/c")), wrong("kubernetes", certificate("sub.thole.io/c"))], [short, []]);
  assert.deepEqual([wrong("thole", certificate("kubernetes.io/c")), wrong("thole", certificate("sub.thole.io/c"))], [[], short]);
  assert.deepEqual([wrong("kubernetes", asked("kubernetes.io/a")), wrong("kubernetes", asked("thole.io/a"))], [[], whole]);
  assert.deepEqual([wrong("thole", asked("kubernetes.io/a")), wrong("thole", asked("thole.io/a"))], [whole, []]);
});

test("without name servers for dnsPolicy None nothing else of the DNS configuration is looked at", () => {
  const missing = "dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None";
  assert.deepEqual(errors({ dnsPolicy: "None", dnsConfig: { options: [{}] } }), [missing]);
  assert.equal(errors({ dnsPolicy: "None", dnsConfig: { nameservers: ["1.2.3.4"], options: [{}] } })?.length, 1);
});
