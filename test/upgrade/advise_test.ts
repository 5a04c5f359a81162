// What `thole advise` finds in objects, metrics, releases of Helm, audit logs and a running server.
// In Deno's suite only: folds of schemas and their readers use nothing of the runtime.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { defaultNames } from "../../core/names.ts";
import { objectsInTemplate } from "../../commands/advise/charts.ts";
import { auditLineLengthMax, auditSource } from "../../commands/advise/audit-log.ts";
import { objectsOfRelease, releaseBytesMax } from "../../commands/advise/helm-release.ts";
import { liveSource } from "../../commands/advise/live-server.ts";
import { forms } from "../../commands/advise/print.ts";
import { type Advice, ruleTexts } from "../../commands/upgrade/advise/advice.ts";
import { checkObject, checkUse } from "../../commands/upgrade/advise/check.ts";
import type { Evidence } from "../../commands/upgrade/advise/evidence.ts";
import { Lifecycles } from "../../commands/upgrade/advise/lifecycles.ts";
import { requestsInMetrics } from "../../commands/upgrade/advise/metrics-text.ts";
import { objectsInText } from "../../commands/upgrade/advise/text-objects.ts";
import { plugins } from "../../plugins/mod.ts";
import { startTestServer } from "../harness.ts";
import { httpsClient } from "../https.ts";

const lifecycles = new Lifecycles(defaultNames, plugins);

function adviceOf(evidence: Iterable<Evidence>, target = "1.35"): readonly Advice[] {
  const checking = { lifecycles, target };
  return [...evidence].flatMap((each) =>
    each.tag === "object" ? [...checkObject(each, checking)] : each.tag === "use" ? [...checkUse(each, checking)] : []
  );
}

const inFile = (text: string, target?: string) => adviceOf(objectsInText(text, (line) => ({ name: "f", file: "f", line })), target);
const shown = ({ place, rule, level, subject, text }: Advice) => `${place.line ?? place.name} ${rule} ${level}: ${subject} ${text}`;

test("the command of a fix names any file as one word of a shell", () => {
  const text = "apiVersion: batch/v1beta1\nkind: CronJob\n";
  const fixes = ["a.yaml", "$(touch x).yaml", "-a b.yaml"].map((file) =>
    adviceOf(objectsInText(text, (line) => ({ name: file, file, line }))).map(({ fix }) => fix).join()
  );
  assert.deepEqual(fixes, ["thole convert -f a.yaml", "thole convert -f '$(touch x).yaml'", "thole convert -f './-a b.yaml'"]);
});

const references = `# a
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: a
  ownerReferences:
  - {apiVersion: apps/v1, kind: Deployment, name: x, uid: "1"}
  - {apiVersion: apps/v1beta1, kind: Deployment, name: x, uid: "1"}
spec:
  scaleTargetRef:
    kind: Deployment
    name: web
    apiVersion: extensions/v1beta1
---
apiVersion: v1
kind: List
items:
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: r}
  rules:
  - {apiGroups: [""], resources: [pods], verbs: [get]}
  - apiGroups: [extensions]
    resources: [ingresses/status, podsecuritypolicies, pods]
    verbs: [get]
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: both}
  rules:
  - {apiGroups: [extensions], resources: [ingresses, deployments], verbs: [get]}
  - {apiGroups: [networking.k8s.io, apps], resources: ["*"], verbs: [get]}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: view, labels: {kubernetes.io/bootstrapping: rbac-defaults}}
  rules:
  - {apiGroups: [extensions], resources: [ingresses], verbs: [get]}
- apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingWebhookConfiguration
  metadata: {name: w}
  webhooks:
  - name: a.b.c
    rules:
    - {apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: ["*"]}
    - {apiGroups: [extensions], apiVersions: [v1beta1], resources: [ingresses], operations: ["*"]}
    - {apiGroups: [networking.k8s.io], apiVersions: [v1beta1, v1], resources: ["*"], operations: ["*"]}
- apiVersion: storage.k8s.io/v1beta1
  kind: VolumeAttributesClass
  metadata: {name: x}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: d}
spec: {versions: [{name: v1, served: true}, {name: v1beta1, served: false}]}
status: {storedVersions: [v1beta1, v1]}
`;

test("checkObject() finds references, rules of webhooks and roles, and stored versions, at their lines", () => {
  assert.deepEqual(inFile(references).map(shown), [
    "13 reference error: HorizontalPodAutoscaler a names Deployment web as extensions/v1beta1, removed in 1.16; use apps/v1",
    "8 reference error: HorizontalPodAutoscaler a names Deployment x as apps/v1beta1, removed in 1.16; use apps/v1",
    "23 role-rule warning: ClusterRole r has rights on ingresses of the group extensions, removed in 1.22; use networking.k8s.io/v1",
    "23 role-rule warning: ClusterRole r has rights on podsecuritypolicies of the group extensions, removed in 1.16; use pod security admission",
    "44 webhook-rule warning: ValidatingWebhookConfiguration w has a rule for ingresses in extensions/v1beta1, removed in 1.22; use networking.k8s.io/v1",
    "46 object-version warning: VolumeAttributesClass x is storage.k8s.io/v1beta1, removed in 1.37; use storage.k8s.io/v1",
    "54 stored-version warning: CustomResourceDefinition d has stored objects in v1beta1, which it does not serve",
  ]);
});

test("checkObject() finds the objects of a list of one kind, and gives the fix of a reference that convert does not change", () => {
  const lists =
    '{"apiVersion":"extensions/v1beta1","kind":"IngressList","items":[\n{"metadata":{"name":"a"}},\n{"metadata":{"name":"b"}}]}\n';
  assert.deepEqual(inFile(lists).map(({ place, subject }) => `${place.line} ${subject}`), ["2 Ingress a", "3 Ingress b"]);
  const scaled = (apiVersion: string, kind: string) =>
    inFile(`apiVersion: ${apiVersion}\nkind: ${kind}\nspec: {scaleTargetRef: {apiVersion: apps/v1beta1, kind: Deployment, name: web}}\n`);
  assert.deepEqual(scaled("keda.sh/v1alpha1", "ScaledObject").map(({ fix }) => fix), ["write apiVersion: apps/v1"]);
  assert.deepEqual(scaled("autoscaling/v1", "HorizontalPodAutoscaler").map(({ fix }) => fix), ["thole convert -f f"]);
});

test("objectsInTemplate() takes the newest of the versions between which a template chooses", () => {
  const choice = (...versions: readonly string[]) =>
    versions.map((version, index) =>
      `{{- ${index === 0 ? "if a" : index < versions.length - 1 ? "else if b" : "else"} -}}\napiVersion: ${version}\n`
    )
      .join("") + "{{- end }}\nkind: Ingress\n";
  const found = (text: string) => adviceOf(objectsInTemplate(text, "f")).map(({ place, groupVersion }) => `${place.line} ${groupVersion}`);
  assert.deepEqual(found(choice("networking.k8s.io/v1", "networking.k8s.io/v1beta1", "extensions/v1beta1")), []);
  assert.deepEqual(found(choice("extensions/v1beta1", "networking.k8s.io/v1beta1", "networking.k8s.io/v1")), []);
  assert.deepEqual(found(choice("networking.k8s.io/v1beta1", "extensions/v1beta1")), ["2 networking.k8s.io/v1beta1"]);
  // Two objects, without a choice between them.
  const two = "apiVersion: networking.k8s.io/v1\nkind: Ingress\n---\nkind: Ingress\napiVersion: extensions/v1beta1\n";
  assert.deepEqual(found(two), ["5 extensions/v1beta1"]);
  assert.deepEqual(found(two.replace("---", "{{- end }}\n{{- if b }}")), ["6 extensions/v1beta1"]);
});

test("the level follows from the target release", () => {
  const text = "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a, namespace: b}\n";
  assert.deepEqual(inFile(text, "1.24").map(({ level }) => level), ["warning"]);
  assert.deepEqual(inFile(text, "1.25").map(({ level, subject, fix }) => [level, subject, fix]), [[
    "error",
    "CronJob a in b",
    "thole convert -f f",
  ]]);
  assert.deepEqual(inFile(references, "1.37").filter(({ level }) => level === "error").length, 3);
});

test("checkObject() names the manager and the time of fields in an old version, once for each manager, and the last apply", () => {
  const applied = JSON.stringify({ apiVersion: "extensions/v1beta1", kind: "Ingress" });
  const object = {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      name: "web",
      namespace: "shop",
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": applied },
      managedFields: [
        { manager: "helm", apiVersion: "extensions/v1beta1", time: "2026-01-01T00:00:00Z" },
        { manager: "helm", apiVersion: "networking.k8s.io/v1beta1", time: "2026-02-01T00:00:00Z" },
        { manager: "kubectl", apiVersion: "networking.k8s.io/v1" },
      ],
    },
  };
  const found = adviceOf([{ tag: "object", place: { name: "the server" }, object }]);
  assert.deepEqual(found.map(shown), [
    "the server field-manager error: Ingress web in shop was written by helm at 2026-02-01T00:00:00Z as networking.k8s.io/v1beta1, removed in 1.22; use networking.k8s.io/v1",
    "the server last-applied error: Ingress web in shop was applied as extensions/v1beta1, removed in 1.22; use networking.k8s.io/v1",
  ]);
  assert.deepEqual(found.map(({ who }) => who), ["helm at 2026-02-01T00:00:00Z", "kubectl apply"]);
});

test("checkObject() passes over shapes that are not those of the kind", () => {
  for (const value of [null, 1, "x", [], [1], {}, [{}], { apiGroups: "extensions" }, [{ rules: [{ apiGroups: 1 }] }]]) {
    for (const kind of ["ClusterRole", "ValidatingWebhookConfiguration", "CustomResourceDefinition", "HorizontalPodAutoscaler"]) {
      const object = { apiVersion: "x/v1beta1", kind, metadata: value, spec: value, status: value, rules: value, webhooks: value };
      assert.deepEqual(adviceOf([{ tag: "object", place: { name: "p" }, object }]), []);
    }
  }
});

test("requestsInMetrics() reads the series that are not 0", () => {
  const series = (labels: string, value: string) => `apiserver_requested_deprecated_apis{${labels}} ${value}\n`;
  const text = "# TYPE apiserver_requested_deprecated_apis gauge\n" +
    series('group="batch",removed_release="1.25",resource="cronjobs",subresource="",version="v1beta1"', "1") +
    series('group="policy",removed_release="1.25",resource="poddisruptionbudgets",subresource="",version="v1beta1"', "0") +
    series('group="",removed_release="",resource="endpoints",subresource="",version="v1"', "1") +
    'apiserver_requested_deprecated_apis{broken\nother{group="batch"} 1\n';
  const uses = [...requestsInMetrics(text, { name: "m" })];
  assert.deepEqual(uses.map(({ groupVersion, resource }) => `${groupVersion} ${resource}`), ["batch/v1beta1 cronjobs", "v1 endpoints"]);
  assert.deepEqual(adviceOf(uses).map(shown), ["m request error: cronjobs in batch/v1beta1 is requested, removed in 1.25; use batch/v1"]);
});

const encoded = (release: unknown) => btoa(btoa(String.fromCharCode(...gzipSync(JSON.stringify(release)))));
const secretOf = (release: string) => ({ metadata: { name: "sh.helm.release.v1.web.v3", namespace: "shop" }, data: { release } });
const manifest = "---\n# Source: web/templates/ingress.yaml\napiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: web}\n";
const release = { name: "web", namespace: "shop", version: 3, manifest };

test("objectsOfRelease() reads the manifest of a release, and reports one that cannot be read", () => {
  assert.deepEqual(adviceOf(objectsOfRelease(secretOf(encoded(release)))).map(shown), [
    "release web in shop, revision 3 object-version error: Ingress web is extensions/v1beta1, removed in 1.22; use networking.k8s.io/v1",
  ]);
  const bomb = gzipSync(new Uint8Array(releaseBytesMax + 1));
  for (const text of ["", "!", btoa("!"), btoa(btoa("{}x")), btoa(btoa("[]")), btoa(btoa(String.fromCharCode(...bomb)))]) {
    const [unread, ...more] = objectsOfRelease(secretOf(text));
    assert.equal(unread?.tag, "unread", text);
    assert.deepEqual(more, []);
  }
});

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "thole-advise-"));
});
after(() => rm(folder, { recursive: true, force: true }));

async function collected(source: AsyncIterable<Evidence>): Promise<readonly Evidence[]> {
  return await Array.fromAsync(source);
}

test("auditSource() reads requests once for each user and client, and counts lines that are no events", async () => {
  const path = join(folder, "audit.log");
  const event = (user: string, time: string, apiVersion = "v1beta1") =>
    JSON.stringify({
      kind: "Event",
      user: { username: user },
      userAgent: "helm/3 (linux)",
      objectRef: { apiGroup: "batch", apiVersion, resource: "cronjobs" },
      requestReceivedTimestamp: time,
    });
  const long = `{"x":"${"x".repeat(auditLineLengthMax + 10)}"}`;
  await writeFile(path, [event("a", "1"), "no JSON", long, event("a", "2"), event("b", "3"), event("c", "4", "v1"), ""].join("\n"));
  const found = await collected(auditSource(path, lifecycles));
  assert.deepEqual(adviceOf(found).map(shown), [
    "4 request error: cronjobs in batch/v1beta1 is requested by a with helm/3 at 2, removed in 1.25; use batch/v1",
    "5 request error: cronjobs in batch/v1beta1 is requested by b with helm/3 at 3, removed in 1.25; use batch/v1",
  ]);
  assert.deepEqual(found.filter(({ tag }) => tag === "unread").map((each) => each.tag === "unread" && each.reason), [
    "2 lines are no audit events",
  ]);
  const missing = await collected(auditSource(join(folder, "none"), lifecycles));
  assert.equal(missing[0]?.tag, "unread");
});

test("liveSource() finds requests, managers and releases of a running server, and reports what it may not read", async () => {
  const server = await startTestServer({ args: ["--runtime-config=storage.k8s.io/v1beta1=true"] });
  const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  const kubeconfig = async (name: string, token: string) => {
    const path = join(folder, name);
    const cluster = { server: server.url, "certificate-authority-data": btoa(server.ca) };
    await writeFile(
      path,
      JSON.stringify({
        "current-context": "a",
        contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
        clusters: [{ name: "a", cluster }],
        users: [{ name: "a", user: { token } }],
      }),
    );
    return path;
  };
  try {
    const created = async (path: string, body: unknown) => {
      const { status, text } = await client.ask(`${path}?fieldManager=old-client`, { method: "POST", body });
      assert.equal(status, 201, text);
    };
    await created("/apis/storage.k8s.io/v1beta1/volumeattributesclasses", {
      apiVersion: "storage.k8s.io/v1beta1",
      kind: "VolumeAttributesClass",
      metadata: { name: "fast" },
      driverName: "example.org",
      parameters: { a: "b" },
    });
    const name = "sh.helm.release.v1.web.v3", labels = { owner: "helm", status: "deployed" };
    await created("/api/v1/namespaces/default/secrets", {
      metadata: { name, labels },
      type: "helm.sh/release.v1",
      data: { release: encoded(release) },
    });
    await created("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
      metadata: { name: "old" },
      rules: [{ apiGroups: ["extensions"], resources: ["ingresses"], verbs: ["get"] }],
    });
    const evidence = await collected(liveSource(await kubeconfig("admin", server.tokens.admin)));
    assert.deepEqual(evidence.filter(({ tag }) => tag === "unread"), []);
    const found = adviceOf(evidence).map((each) => shown(each).replace(/ at [0-9T:.-]+Z/, " at TIME")).toSorted();
    assert.deepEqual(found, [
      "clusterroles.rbac.authorization.k8s.io of the server role-rule warning: ClusterRole old has rights on ingresses of the group extensions, removed in 1.22; use networking.k8s.io/v1",
      "release web in shop, revision 3 object-version error: Ingress web is extensions/v1beta1, removed in 1.22; use networking.k8s.io/v1",
      "the metrics of the server request warning: volumeattributesclasses in storage.k8s.io/v1beta1 is requested, removed in 1.37; use storage.k8s.io/v1",
      "volumeattributesclasses.storage.k8s.io of the server field-manager warning: VolumeAttributesClass fast was written by old-client at TIME as storage.k8s.io/v1beta1, removed in 1.37; use storage.k8s.io/v1",
    ]);
    const denied = await collected(liveSource(await kubeconfig("alice", server.tokens.alice)));
    assert.ok(denied.some((each) => each.tag === "unread" && each.place.name === "/metrics"));
    assert.ok(denied.some((each) => each.tag === "unread" && each.place.name === "the releases of Helm"));
    assert.deepEqual(denied.filter(({ tag }) => tag === "object"), []);
  } finally {
    client.close();
    await server.close();
  }
});

test("the forms of a report have each finding: text, JSON, and SARIF with rules and places", () => {
  const advice = inFile(references),
    unread = [{ tag: "unread", place: { name: "x", file: "a b/ü.yaml", line: 3 }, reason: "broken" }] as const;
  const report = { target: "1.35", advice, unread };
  assert.equal(forms.text(report).split("\n").length, advice.length * 2 + 1);
  assert.match(forms.text(report), /^f:13: error: HorizontalPodAutoscaler a names .*\n {4}fix: thole convert -f f\n/);
  const { targetVersion, findings, unread: errors } = JSON.parse(forms.json(report));
  assert.deepEqual([targetVersion, findings.length, errors[0].reason], ["1.35", advice.length, "broken"]);
  const { version, runs: [{ tool, results, invocations }] } = JSON.parse(forms.sarif(report));
  assert.equal(version, "2.1.0");
  assert.deepEqual(tool.driver.rules.map(({ id }: { readonly id: string }) => id), Object.keys(ruleTexts));
  for (const [index, { ruleId, ruleIndex, level, locations }] of results.entries()) {
    assert.deepEqual([tool.driver.rules[ruleIndex].id, ruleId, level], [ruleId, advice[index]!.rule, advice[index]!.level]);
    assert.deepEqual(locations, [{
      physicalLocation: { artifactLocation: { uri: "f" }, region: { startLine: advice[index]!.place.line } },
    }]);
  }
  assert.equal(invocations[0].toolExecutionNotifications[0].locations[0].physicalLocation.artifactLocation.uri, "a%20b/%C3%BC.yaml");
  const absolute = forms.sarif({ target: "1.35", advice: [{ ...advice[0]!, place: { name: "f", file: "/srv/a b#c.yaml" } }], unread: [] });
  assert.equal(JSON.parse(absolute).runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri, "file:///srv/a%20b%23c.yaml");
  const elsewhere = forms.sarif({ target: "1.35", advice: [{ ...advice[0]!, place: { name: "the server" } }], unread: [] });
  assert.deepEqual(JSON.parse(elsewhere).runs[0].results[0].locations, [{ logicalLocations: [{ fullyQualifiedName: "the server" }] }]);
});
