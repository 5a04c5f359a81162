// The TypeScript modules of a new plugin.

export const kindModule = ({ kind, plural, group, type, home, older, name }) =>
  `/** The kind ${kind} in its two versions: their fields and rules, and the conversion between them. */
import { ageColumn, checker, defineResource, field, int32, keptFields, nameColumn, object, oneOf, structsOf } from "thole/plugin";
import type { Column, Infer } from "thole/plugin";

export const home = "${home}", older = "${older}";

// v2: what is stored, and what the rules and the controller see.
const struct = structsOf(home);

const Spec = struct("${kind}Spec", {
  replicas: field(1, int32, "How many run. 0 stops them all.", { default: 1, publish: { minimum: 0 } }),
  delaySeconds: field(2, int32, "How long it takes from the creation until it is ready.", { default: 0, publish: { minimum: 0 } }),
  class: field(3, oneOf("Small", "Large"), "The class. Cannot change.", {
    default: "Small",
    rules: [{ rule: "self == oldSelf", message: "cannot change" }],
  }),
}, {
  doc: "What is wanted.",
  rules: [{ rule: "self.class == 'Large' || self.replicas <= 3", message: "a Small one has at most 3 replicas", fieldPath: ".replicas" }],
});

const Status = struct("${kind}Status", {
  phase: field(1, oneOf("Pending", "Ready"), "How far it is."),
  replicas: field(2, int32, "How many run.", { pointer: true }),
}, { doc: "What is observed." });

const ${type} = object("${kind}", {
  spec: field(2, Spec, "What is wanted.", { required: true }),
  status: field(3, Status, "What is observed."),
}, { package: home, doc: "One ${name}." });
export type ${type} = Infer<typeof ${type}>;

// v1: it has "size" for "replicas". It shows the newer fields in an annotation, so that its clients do not lose them.
export const Older${type} = object("${kind}", {
  spec: field(2, structsOf(older)("${kind}Spec", {
    size: field(1, int32, "How many run.", { default: 1 }),
  }, { doc: "What is wanted." }), "What is wanted.", { required: true }),
  status: field(3, Status, "What is observed."),
}, { package: older, doc: "One ${name}." });
type Older${type} = Infer<typeof Older${type}>;

const newer = keptFields("${group}/v2-spec", Spec, ["delaySeconds", "class"]);

function toStored({ metadata: shown, spec: { size = 1 }, ...rest }: Older${type}): ${type} {
  const { fields, metadata } = newer.take(shown);
  return { ...rest, metadata, spec: { replicas: size, ...fields } };
}
function fromStored({ metadata, spec: { replicas = 1, ...others }, ...rest }: ${type}): Older${type} {
  return { ...rest, metadata: newer.show(metadata, others), spec: { size: replicas } };
}

// What \`kubectl get\` shows.
const phase = { name: "Phase", type: "string", description: "How far it is." } as const;
const columns: Column<${type}>[] = [nameColumn, { ...phase, cell: ({ status }) => status?.phase ?? "" }, ageColumn];
const olderColumns: Column<Older${type}>[] = [nameColumn, { ...phase, cell: ({ status }) => status?.phase ?? "" }, ageColumn];

const structure = checker(Spec);

export const resource = defineResource({
  kind: "${kind}",
  plural: "${plural}",
  scope: "Namespaced",
  summary: "One ${name}.",
  storedAs: home,
  storedUnder: "${group}/${plural}",
  strategy: { generation: true },
  served: {
    [home]: { schema: ${type}, introduced: "1.1", columns },
    [older]: { schema: Older${type}, introduced: "1.0", columns: olderColumns, toStored, fromStored },
  },
  create: ({ spec }) => structure(spec, "spec"),
  update: ({ spec }) => structure(spec, "spec"),
});
`;

export const pluginModule = ({ kind, name, plural }) =>
  `/** The plugin: what a server loads. */
import { definePlugin } from "thole/plugin";
import { controller } from "./controller.ts";
import { resource } from "./kind.ts";

export const ${name}Plugin = definePlugin({
  name: "${plural}",
  summary: "The kind ${kind}, and the controller that reports when it is ready.",
  resources: [resource],
  controllers: [controller],
});
`;

export const controllerModule = ({ type, name, plural }) =>
  `/** The controller: it reports each ${name} as ready when its delay has passed. Replace \`reconcile\` with the work that makes it so. */
import { objectKey, runWorkQueue, splitObjectKey, StatusError } from "thole/plugin";
import type { Controller, ControllerContext } from "thole/plugin";
import type { WorkQueue } from "thole/plugin/toolbox";
import { home, resource, type ${type} } from "./kind.ts";

/** Brings one ${name} to its wanted state. It may run at any time and any number of times. */
async function reconcile({ api, clock }: ControllerContext, key: string, queue: WorkQueue): Promise<void> {
  const { namespace, name } = splitObjectKey(key);
  let stored: ${type};
  try {
    stored = await api.of(resource).get(namespace, name);
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return; // deleted
    throw error; // logged, and tried again after a pause
  }
  const { metadata: { creationTimestamp }, spec, status } = stored;
  const waitMs = Date.parse(creationTimestamp ?? "") + 1000 * (spec.delaySeconds ?? 0) - clock.now();
  if (waitMs > 0) queue.addAfter(key, waitMs);
  const phase = waitMs > 0 ? "Pending" : "Ready", replicas = waitMs > 0 ? 0 : spec.replicas ?? 1;
  if (status?.phase === phase && status.replicas === replicas) return;
  await api.of(resource).patch(namespace, name, { merge: { status: { phase, replicas } } }, { subresource: "status" });
}

export const controller: Controller = {
  name: "${plural}-controller",
  needs: [{ resource: "${plural}", groupVersions: [home] }],
  run: (context, signal) =>
    runWorkQueue({ context, signal, work: (key, queue) => reconcile(context, key, queue) }, async (queue, until) => {
      for await (const { object } of context.api.of(resource).watch("", {}, until)) queue.add(objectKey(object));
    }),
};
`;

export const testModule = ({ type, name }) =>
  `import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { checkRoundTrips, openTestServer, type TestServer } from "thole/testing";
import { Older${type}, resource } from "./kind.ts";
import { ${name}Plugin } from "./plugin.ts";

// Each test has a fork of one server, with the object "first". Its time stands still until the test advances it.
let fixture: TestServer, server: TestServer;
before(async () => {
  fixture = await openTestServer({ plugins: [${name}Plugin], clock: "manual" });
  await fixture.api.of(resource).create("default", { metadata: { name: "first" }, spec: { replicas: 2, delaySeconds: 600 } });
});
beforeEach(async () => {
  server = await fixture.fork();
});
afterEach(() => server.close());
after(() => fixture.close());

test("absent fields get their defaults, and a zero stays a zero", async () => {
  const plain = await server.api.of(resource).create("default", { metadata: { name: "plain" }, spec: {} });
  assert.deepEqual(plain.spec, { replicas: 1, delaySeconds: 0, class: "Small" });
  const stopped = await server.api.of(resource).create("default", { metadata: { name: "stopped" }, spec: { replicas: 0 } });
  assert.equal(stopped.spec.replicas, 0);
});

test("the rules: a small one has at most 3 replicas, and the class cannot change", async () => {
  const change = (spec: object) => server.api.of(resource).patch("default", "first", { merge: { spec } });
  await change({ replicas: 3 });
  await assert.rejects(change({ replicas: 4 }), /spec\\.replicas: .*a Small one has at most 3 replicas/);
  await assert.rejects(change({ replicas: -1 }), /spec\\.replicas: .*greater than or equal to 0/);
  await assert.rejects(change({ class: "Large" }), /spec\\.class: .*cannot change/);
});

test("a client of v1 sees the size, and loses nothing of v2", async () => {
  const v1 = server.api.of(resource, Older${type});
  const shown = await v1.get("default", "first");
  assert.deepEqual(shown.spec, { size: 2 });
  await v1.update("default", "first", { ...shown, spec: { size: 3 } });
  assert.deepEqual((await server.api.of(resource).get("default", "first")).spec, { replicas: 3, delaySeconds: 600, class: "Small" });
});

test("no encoding, patch or version of a ${name} loses data", async () => {
  await checkRoundTrips(${name}Plugin);
});

test("the controller reports a ${name} as ready after its delay", async () => {
  const status = async () => (await server.api.of(resource).get("default", "first")).status;
  await server.clock.advance("9m");
  assert.deepEqual(await status(), { phase: "Pending", replicas: 0 });
  await server.clock.advance("1m");
  assert.deepEqual(await status(), { phase: "Ready", replicas: 2 });
  await server.api.of(resource).patch("default", "first", { merge: { spec: { replicas: 0 } } });
  await server.clock.advance("1s");
  assert.deepEqual(await status(), { phase: "Ready", replicas: 0 });
});
`;
