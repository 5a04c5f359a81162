// Admission steps of a resource for deletions: of one object and of a collection, dry runs, and objects with finalizers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Admission, definePlugin, defineResource, field, type Infer, object, string, struct } from "../plugin.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask } from "./requests.ts";

const home = "example.com/v1";
const Job = object("Job", {
  spec: field(2, struct("JobSpec", { owner: field(1, string, "Owner.") }), "Spec.", { written: "always" }),
}, { doc: "A job.", package: home });
type Job = Infer<typeof Job>;

const jobs = defineResource<Job>({
  kind: "Job",
  scope: "Namespaced",
  summary: "A job.",
  storedAs: home,
  storedUnder: "example.com/jobs",
  served: { [home]: { schema: Job, introduced: "1.0" } },
});

/** Names of the objects that the step received. */
let received: string[] = [];
const keeper: Admission<Job> = {
  name: "Keeper",
  resources: [jobs],
  refuseDelete({ metadata, spec }, { caller }) {
    received.push(metadata.name ?? "");
    return spec.owner === undefined || spec.owner === caller.name ? undefined : `only ${spec.owner} may delete it`;
  },
};

const plugin = definePlugin({ name: "jobs", summary: "Jobs.", resources: [jobs], admission: [keeper] });
let server: TestServer;
before(async () => {
  server = await openTestServer({ plugins: [plugin] });
});
after(() => server.close());

const collection = "/apis/example.com/v1/namespaces/default/jobs";
const sent = (method: string, path: string, body?: unknown) => ask(server, method, path, body);
async function create(name: string, spec: object = {}, metadata: object = {}): Promise<void> {
  const { status } = await sent("POST", collection, { metadata: { name, ...metadata }, spec });
  assert.equal(status, 201);
}

test("refuseDelete rejects the deletion of an object, which stays", async () => {
  received = [];
  await create("owned", { owner: "bob" });
  const { status, body: json } = await sent("DELETE", `${collection}/owned`);
  assert.equal(status, 403);
  assert.equal(json.message, `jobs.example.com "owned" is forbidden: only bob may delete it`);
  assert.equal((await sent("GET", `${collection}/owned`)).body.metadata.deletionTimestamp, undefined);
  assert.deepEqual(received, ["owned"]);
});

test("refuseDelete admits deletions, also in dry runs and of objects with finalizers", async () => {
  received = [];
  await create("free");
  await create("final", {}, { finalizers: ["example.com/wait"] });
  assert.equal((await sent("DELETE", `${collection}/free?dryRun=All`)).status, 200);
  assert.equal((await sent("GET", `${collection}/free`)).status, 200);
  assert.equal((await sent("DELETE", `${collection}/free`)).status, 200);
  assert.equal((await sent("GET", `${collection}/free`)).status, 404);
  assert.notEqual((await sent("DELETE", `${collection}/final`)).body.metadata.deletionTimestamp, undefined);
  assert.deepEqual(received, ["free", "free", "final"]);
});

test("refuseDelete is not called for a failed precondition", async () => {
  received = [];
  await create("exact");
  const { status } = await sent("DELETE", `${collection}/exact`, { preconditions: { uid: "another" } });
  assert.equal(status, 409);
  assert.deepEqual(received, []);
});

test("refuseDelete receives each object of a collection and ends its deletion", async () => {
  received = [];
  const selected = { labels: { of: "collection" } };
  await create("c1", {}, selected);
  await create("c2", { owner: "bob" }, selected);
  await create("c3", {}, selected);
  const { status, body: json } = await sent("DELETE", `${collection}?labelSelector=of%3Dcollection`);
  assert.equal(status, 403);
  assert.equal(json.message, `jobs.example.com "c2" is forbidden: only bob may delete it`);
  assert.deepEqual(received, ["c1", "c2"]);
  const left = await sent("GET", `${collection}?labelSelector=of%3Dcollection`);
  assert.deepEqual(left.body.items.map((item: Job) => item.metadata.name), ["c2", "c3"]);
});
