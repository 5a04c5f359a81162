// What `thole advise` finds in the data of a server: a snapshot of etcd, as a process with the permissions of `npm start`, and the etcd of a real kube-apiserver.
// In Deno's suite only: findings do not depend on the runtime; test/start/commands_test.ts runs commands on both.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createCipheriv } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { CborWriter } from "../../core/codec/cbor/write.ts";
import { writeEnvelope } from "../../core/codec/protobuf.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { protobufWriter } from "../../core/derive/protobuf.ts";
import { ObjectMeta } from "../../core/meta/object-meta.ts";
import { field, list, string, struct } from "../../core/schema.ts";
import { launchOf } from "../../server/startup/permissions.ts";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import { databaseFile, type KeyChange, snapshotFile } from "../../commands/source/etcd-files/test-etcd-file.ts";
import { noFaults } from "../../kernel/store/fault.ts";
import { kubeApiserverMissing, startKubeApiserver } from "../access/kube-apiserver.ts";
import { ownRuntime, run, runtimePath, startSkipped } from "../real-server.ts";
import { advisedFindingsMax } from "../../commands/advise.ts";
import { advisedUnreadMax } from "../../commands/advise/stored-objects.ts";

const main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));
let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "thole-advise-"));
});
after(() => rm(folder, { recursive: true, force: true }));

function advise(...args: readonly string[]): ReturnType<typeof run> {
  const words = ["advise", ...args];
  const flags = ownRuntime === "deno"
    ? ["run", "--no-check", ...launchOf(words, folder).permissions]
    : ["--disable-warning=ExperimentalWarning"];
  return run(runtimePath(ownRuntime), [...flags, main, ...words]);
}

async function snapshot(...changes: readonly KeyChange[]): Promise<string> {
  const path = join(folder, "snapshot.db");
  await writeFile(path, snapshotFile(databaseFile(changes)));
  return `--from-snapshot=${path}`;
}

const json = (kind: string, apiVersion: string, name: string, more: object = {}, metadata: object = {}) =>
  JSON.stringify({ kind, apiVersion, metadata: { name, ...metadata }, ...more });
const Rule = struct("PolicyRule", {
  verbs: field(1, list(string), "Verbs."),
  apiGroups: field(2, list(string), "Groups."),
  resources: field(3, list(string), "Resources."),
});
const Target = struct("Target", {
  kind: field(1, string, "Kind."),
  name: field(2, string, "Name."),
  apiVersion: field(3, string, "Version."),
});
const Any = struct("Any", {
  metadata: field(1, ObjectMeta, "Metadata."),
  rules: field(2, list(Rule), "Rules."),
});
const Scaler = struct("Scaler", {
  metadata: field(1, ObjectMeta, "Metadata."),
  spec: field(2, struct("Spec", { scaleTargetRef: field(1, Target, "Target.") }), "Spec."),
});
const protobuf = (kind: string, apiVersion: string, object: object, schema: typeof Any | typeof Scaler = Any) =>
  writeEnvelope({ kind, apiVersion }, protobufWriter(schema as typeof Any)(object as never));
const cbor = (kind: string, apiVersion: string, name: string) =>
  cborWriter(Object.freeze({ ...Any, typeMeta: true }) as typeof Any)(
    { kind, apiVersion, metadata: { name } } as never,
    new CborWriter().selfDescribed(),
  ).finish();

const written = { manager: "helm", operation: "Update", apiVersion: "networking.k8s.io/v1beta1", time: "2026-01-01T00:00:00Z" };
const lastApplied = (apiVersion: string, kind: string) => ({
  "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ apiVersion, kind }),
});
const manifest = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: old}\n";
const release = btoa(
  btoa(String.fromCharCode(...gzipSync(JSON.stringify({ name: "web", namespace: "shop", version: 3, manifest })))),
);
const definition = (version: string, spec: object) =>
  json("CustomResourceDefinition", `apiextensions.k8s.io/${version}`, "widgets.example.com", {
    spec: { group: "example.com", names: { plural: "widgets", kind: "Widget" }, scope: "Namespaced", ...spec },
    status: { storedVersions: ["v1beta1"] },
  });

/** Values in which nothing ends. */
const fine: readonly KeyChange[] = [
  { key: "/registry/configmaps/shop/a", value: json("ConfigMap", "v1", "a", {}, { namespace: "shop" }) },
  { key: "/registry/pods/shop/p", value: protobuf("Pod", "v1", { metadata: { name: "p", namespace: "shop" } }) },
  {
    key: "/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com",
    value: definition("v1beta1", { version: "v1beta1" }),
  },
  { key: "/registry/example.com/widgets/shop/w", value: json("Widget", "example.com/v1beta1", "w", {}, { namespace: "shop" }) },
  { key: "/registry/masterleases/10.0.0.1", value: protobuf("Endpoints", "v1", {}) },
  {
    key: "/registry/events/shop/e",
    value: json("Event", "v1", "e", {}, { managedFields: [{ manager: "m", apiVersion: "events.k8s.io/v1beta1" }] }),
  },
];

test("advise finds objects stored in versions that end, in JSON, CBOR and protobuf, and says how to migrate them", async () => {
  const path = await snapshot(
    ...fine,
    {
      key: "/registry/clusterroles/r",
      value: protobuf("ClusterRole", "rbac.authorization.k8s.io/v1", {
        metadata: { name: "r" },
        rules: [{ verbs: ["get"], apiGroups: ["extensions"], resources: ["ingresses"] }],
      }),
    },
    { key: "/registry/cronjobs/shop/n", value: protobuf("CronJob", "batch/v1beta1", { metadata: { name: "n", namespace: "shop" } }) },
    {
      key: "/registry/horizontalpodautoscalers/shop/h",
      value: protobuf("HorizontalPodAutoscaler", "autoscaling/v2", {
        metadata: { name: "h", namespace: "shop" },
        spec: { scaleTargetRef: { kind: "Deployment", name: "web", apiVersion: "extensions/v1beta1" } },
      }, Scaler),
    },
    {
      key: "/registry/ingress/shop/i",
      value: protobuf("Ingress", "networking.k8s.io/v1", {
        metadata: { name: "i", namespace: "shop", annotations: lastApplied("extensions/v1beta1", "Ingress"), managedFields: [written] },
      }),
    },
    { key: "/registry/leases/shop/l", value: json("Lease", "coordination.k8s.io/v1beta1", "l", {}, { namespace: "shop" }) },
    { key: "/registry/podsecuritypolicy/p\u001b[2J", value: protobuf("PodSecurityPolicy", "policy/v1beta1", { metadata: { name: "p" } }) },
    {
      key: "/registry/secrets/shop/r",
      value: json("Secret", "v1", "r", { type: "helm.sh/release.v1", data: { release } }, {
        namespace: "shop",
        labels: { owner: "helm", status: "deployed" },
      }),
    },
    { key: "/registry/storageclasses/s", value: cbor("StorageClass", "storage.k8s.io/v1beta1", "s") },
  );
  const { code, output, errors } = await advise(path);
  const migration = (name: string, version: string) =>
    `    fix: before the upgrade, on a release that stores ${version}, write the objects again: kubectl get ${name} -A -o json | kubectl replace -f -, or a StorageVersionMigration`;
  assert.deepEqual(output.split("\n"), [
    "/registry/clusterroles/r: warning: ClusterRole r has rights on ingresses of the group extensions, removed in 1.22; use networking.k8s.io/v1",
    "    fix: add the group networking.k8s.io to the rule",
    "/registry/cronjobs/shop/n: error: CronJob n in shop is stored as batch/v1beta1, removed in 1.25; use batch/v1",
    migration("cronjobs.batch", "batch/v1"),
    "/registry/horizontalpodautoscalers/shop/h: error: HorizontalPodAutoscaler h in shop names Deployment web as extensions/v1beta1, removed in 1.16; use apps/v1",
    "    fix: write apiVersion: apps/v1",
    "/registry/ingress/shop/i: error: Ingress i in shop was written by helm at 2026-01-01T00:00:00Z as networking.k8s.io/v1beta1, removed in 1.22; use networking.k8s.io/v1",
    "    fix: make helm write networking.k8s.io/v1",
    "/registry/ingress/shop/i: error: Ingress i in shop was applied as extensions/v1beta1, removed in 1.22; use networking.k8s.io/v1",
    "    fix: apply its file as networking.k8s.io/v1",
    "/registry/leases/shop/l: error: Lease l in shop is stored as coordination.k8s.io/v1beta1, removed in 1.22; use coordination.k8s.io/v1",
    migration("leases.coordination.k8s.io", "coordination.k8s.io/v1"),
    "/registry/podsecuritypolicy/p\ufffd[2J: error: PodSecurityPolicy p is stored as policy/v1beta1, removed in 1.25; use pod security admission",
    "    fix: delete it before the upgrade, and use pod security admission",
    "release web in shop, revision 3: error: PodDisruptionBudget old is policy/v1beta1, removed in 1.25; use policy/v1",
    "    fix: upgrade the release with a chart that has new versions while the server has both; after the removal, change the stored release (helm mapkubeapis)",
    "/registry/storageclasses/s: error: StorageClass s is stored as storage.k8s.io/v1beta1, removed in 1.22; use storage.k8s.io/v1",
    migration("storageclasses.storage.k8s.io", "storage.k8s.io/v1"),
    "",
  ]);
  assert.deepEqual([code, errors], [
    2,
    "thole: 8 uses end by 1.35, 1 later or without a failure; 0 places cannot be read\n",
  ]);
  const early = await advise(path, "--target-version=1.15");
  assert.deepEqual([early.code, early.errors.split(",")[0]], [0, "thole: 0 uses end by 1.15"]);
});

test("advise counts values that cannot be read by reason, and exits with 1", async () => {
  const { code, output, errors } = await advise(
    await snapshot(
      ...fine,
      { key: "/registry/secrets/shop/a", value: "k8s:enc:aescbc:v1:key1:xyz" },
      { key: "/registry/secrets/shop/b", value: "k8s:enc:aescbc:v1:key1:xyz" },
      { key: "/registry/secrets/shop/c", value: "k8s:enc:kms:v2:plugin:xyz" },
      {
        key: "/registry/clusterroles/torn",
        value: writeEnvelope({ kind: "ClusterRole", apiVersion: "rbac.authorization.k8s.io/v1" }, Uint8Array.of(18, 200)),
      },
    ),
  );
  assert.deepEqual([code, output], [1, ""]);
  assert.deepEqual(errors.split("\n"), [
    "thole: /registry/clusterroles/torn: unexpected EOF",
    'thole: /registry/secrets/shop/a: it is encrypted by aescbc with key "key1", for which --from-encryption-provider-config has no key; and 1 more such values',
    'thole: /registry/secrets/shop/c: it is encrypted by kms with key "plugin", for which --from-encryption-provider-config has no key',
    "thole: 0 uses end by 1.35, 0 later or without a failure; 3 places cannot be read",
    "",
  ]);
});

test("advise reads values that --from-encryption-provider-config decrypts", async () => {
  const secret = new Uint8Array(32).fill(7), iv = new Uint8Array(16).fill(1), cipher = createCipheriv("aes-256-cbc", secret, iv);
  const lease = json("Lease", "coordination.k8s.io/v1beta1", "l", {}, { namespace: "shop" });
  const value = Buffer.concat([new TextEncoder().encode("k8s:enc:aescbc:v1:key1:"), iv, cipher.update(lease), cipher.final()]);
  const keys = join(folder, "keys.yaml");
  await writeFile(
    keys,
    "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n" +
      `- {resources: [leases.coordination.k8s.io], providers: [{aescbc: {keys: [{name: key1, secret: ${
        Buffer.from(secret).toString("base64")
      }}]}}]}\n`,
  );
  const path = await snapshot({ key: "/registry/leases/shop/l", value });
  const { code, output } = await advise(path, `--from-encryption-provider-config=${keys}`);
  assert.deepEqual([code, output.split("\n")[0]], [
    2,
    "/registry/leases/shop/l: error: Lease l in shop is stored as coordination.k8s.io/v1beta1, removed in 1.22; use coordination.k8s.io/v1",
  ]);
});

test("advise exits with 0 if nothing ends, and with 1 if there is nothing to read or the flags are mistaken", async () => {
  const path = await snapshot(...fine);
  const none = await advise(path, "-o", "json");
  assert.deepEqual([none.code, JSON.parse(none.output)], [0, { targetVersion: "1.35", findings: [], unread: [] }], none.errors);
  for (
    const [words, message] of [
      [[path, "--from-etcd-prefix=/other"], /^thole: \/other\/: the store has no keys with this prefix \(--from-etcd-prefix\)\n/],
      [[`--from-snapshot=${folder}`], /^thole: the store: Cannot open ".*": it is a folder: start its etcd and take a snapshot/],
      [["--from-snapshot=none.db"], /^thole: the store: Cannot open "none.db": /],
      [["--from-etcd-servers=http://127.0.0.1:1"], /^thole: the store: Cannot reach etcd at /],
      [["--skip-hash-check"], /^thole: one of --from-snapshot, --from-etcd-servers is needed\n/],
      [[path, "--from-etcd-servers=a"], /^thole: only one of --from-snapshot, /],
    ] as const
  ) {
    const { code, output, errors } = await advise(...words);
    assert.deepEqual([code, output], [1, ""], words.join(" "));
    assert.match(errors, message);
  }
});

test("a definition of v1beta1 with stored objects in a version that it does not serve is found, whichever field has its version", async () => {
  const key = "/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com";
  for (
    const spec of [{ version: "v1" }, { version: "v1", versions: [{ name: "v1", served: true }, { name: "v1beta1", served: false }] }]
  ) {
    const { code, output } = await advise(await snapshot({ key, value: definition("v1beta1", spec) }));
    assert.deepEqual([code, output.split("\n")[0]], [
      0,
      `${key}: warning: CustomResourceDefinition widgets.example.com has stored objects in v1beta1, which it does not serve`,
    ]);
  }
});

test("findings and reasons beyond their limits are counted", async () => {
  const old = Array.from({ length: advisedFindingsMax + 1 }, (_, index) => ({
    key: `/registry/cronjobs/shop/${index}`,
    value: json("CronJob", "batch/v1beta1", `${index}`),
  }));
  const encrypted = Array.from({ length: advisedUnreadMax + 2 }, (_, index) => ({
    key: `/registry/secrets/shop/${index}`,
    value: `k8s:enc:kms:v2:${index}:xyz`,
  }));
  const { code, output, errors } = await advise(await snapshot(...old, ...encrypted));
  assert.equal(code, 1);
  assert.equal(output.split("\n").length, advisedFindingsMax * 2 + 1);
  const lines = errors.trimEnd().split("\n");
  assert.equal(lines.filter((line) => line.includes("is encrypted by kms")).length, advisedUnreadMax);
  assert.deepEqual(lines.slice(-3), [
    "thole: the store: 2 more values cannot be read",
    "thole: 1 further findings are not shown",
    `thole: ${advisedFindingsMax + 1} uses end by 1.35, 0 later or without a failure; ${advisedUnreadMax + 1} places cannot be read`,
  ]);
});

const skip = startSkipped(ownRuntime) || kubeApiserverMissing();
const shop = "/namespaces/shop";
const pod = { metadata: { labels: { a: "b" } }, spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x" }] } };
const made: readonly (readonly [path: string, object: object])[] = [
  ["/api/v1/namespaces", { metadata: { name: "shop" } }],
  [`/api/v1${shop}/configmaps`, { metadata: { name: "a" } }],
  [`/api/v1${shop}/secrets`, { metadata: { name: "a" } }],
  [`/api/v1${shop}/pods`, { metadata: { name: "a" }, spec: pod.spec }],
  [`/api/v1${shop}/services`, { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } }],
  [`/apis/apps/v1${shop}/replicasets`, {
    metadata: { name: "a" },
    spec: { selector: { matchLabels: { a: "b" } }, template: { ...pod, spec: { containers: pod.spec.containers } } },
  }],
  [`/apis/batch/v1${shop}/cronjobs`, { metadata: { name: "a" }, spec: { schedule: "@daily", jobTemplate: { spec: { template: pod } } } }],
  [`/apis/autoscaling/v2${shop}/horizontalpodautoscalers`, {
    metadata: { name: "a" },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" } },
  }],
  [`/apis/policy/v1${shop}/poddisruptionbudgets`, { metadata: { name: "a" }, spec: { selector: {} } }],
  [`/apis/networking.k8s.io/v1${shop}/ingresses`, {
    metadata: { name: "a" },
    spec: { defaultBackend: { service: { name: "a", port: { number: 80 } } } },
  }],
  ["/apis/networking.k8s.io/v1/servicecidrs", { metadata: { name: "a" }, spec: { cidrs: ["10.9.0.0/24"] } }],
  ["/apis/storage.k8s.io/v1/csidrivers", { metadata: { name: "a" }, spec: {} }],
  ["/apis/storage.k8s.io/v1/volumeattributesclasses", { metadata: { name: "a" }, driverName: "example.com", parameters: { a: "b" } }],
  [`/apis/storage.k8s.io/v1${shop}/csistoragecapacities`, { metadata: { name: "a" }, storageClassName: "a" }],
  ["/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "a" }, value: 1 }],
  ["/apis/node.k8s.io/v1/runtimeclasses", { metadata: { name: "a" }, handler: "a" }],
  [`/apis/discovery.k8s.io/v1${shop}/endpointslices`, { metadata: { name: "a" }, addressType: "IPv4", endpoints: [] }],
  [`/apis/events.k8s.io/v1${shop}/events`, {
    metadata: { name: "a" },
    type: "Normal",
    action: "a",
    reason: "a",
    reportingController: "example.com/a",
    reportingInstance: "a",
    eventTime: "2026-11-26T20:00:00.000000Z",
    regarding: { kind: "Pod", namespace: "shop", name: "a" },
  }],
  ["/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", {
    metadata: { name: "a" },
    spec: { priorityLevelConfiguration: { name: "exempt" } },
  }],
  ["/apis/resource.k8s.io/v1/deviceclasses", { metadata: { name: "a" }, spec: {} }],
  ["/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1beta1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  }],
];

test("advise finds nothing in the etcd of a kube-apiserver but what is planted", { skip }, async () => {
  const cluster = await startKubeApiserver([]);
  try {
    const post = async (path: string, body: object) => {
      const { status, text } = await cluster.admin.ask(path, { method: "POST", body });
      assert.equal(status, 201, `${path}: ${text}`);
    };
    for (const [path, object] of made) await post(path, object);
    const from = `--from-etcd-servers=${cluster.etcd.endpoint}`;
    assert.deepEqual(await advise(from, "--target-version=1.40"), {
      code: 0,
      output: "",
      errors: "thole: 0 uses end by 1.40, 0 later or without a failure; 0 places cannot be read\n",
    });
    await post(`/apis/autoscaling/v2${shop}/horizontalpodautoscalers`, {
      metadata: { name: "planted" },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "extensions/v1beta1", kind: "Deployment", name: "a" } },
    });
    await post(`/apis/networking.k8s.io/v1${shop}/ingresses`, {
      metadata: { name: "planted", annotations: lastApplied("networking.k8s.io/v1beta1", "Ingress") },
      spec: { defaultBackend: { service: { name: "a", port: { number: 80 } } } },
    });
    const etcd = await openEtcd({ endpoints: [cluster.etcd.endpoint], faults: noFaults });
    try {
      const value = protobuf("CronJob", "batch/v1beta1", { metadata: { name: "planted", namespace: "shop" } });
      const { done } = await etcd.commit({ key: "/registry/cronjobs/shop/planted", expect: "absent", value });
      assert.equal(done, true);
    } finally {
      await etcd.close();
    }
    const { code, output } = await advise(from);
    assert.deepEqual([code, output.split("\n").filter((line) => line.startsWith("/"))], [2, [
      "/registry/cronjobs/shop/planted: error: CronJob planted in shop is stored as batch/v1beta1, removed in 1.25; use batch/v1",
      "/registry/horizontalpodautoscalers/shop/planted: error: HorizontalPodAutoscaler planted in shop names Deployment a as extensions/v1beta1, removed in 1.16; use apps/v1",
      "/registry/ingress/shop/planted: error: Ingress planted in shop was applied as networking.k8s.io/v1beta1, removed in 1.22; use networking.k8s.io/v1",
    ]]);
  } finally {
    await cluster.close();
  }
});
