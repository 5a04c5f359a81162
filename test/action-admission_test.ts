// Admission steps of a resource for actions (POST of a subresource): they receive the request of the action.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Admission, definePlugin, defineResource, field, type Infer, invalid, object, string, struct } from "../plugin.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask, done, textOf } from "./requests.ts";

const home = "example.com/v1";
const Job = object("Job", {
  spec: field(2, struct("JobSpec", { restartedFor: field(1, string, "Reason of the last restart.") }), "Spec.", { written: "always" }),
}, { doc: "A job.", package: home });
type Job = Infer<typeof Job>;
const Restart = object("Restart", {
  spec: field(2, struct("RestartSpec", { reason: field(1, string, "Why.") }), "What.", { written: "always" }),
}, { doc: "Asks for a restart.", package: home });
type Restart = Infer<typeof Restart>;
const Report = object("Report", {
  status: field(2, struct("ReportStatus", { text: field(1, string, "Text.") }), "Answer."),
}, { doc: "A report.", package: home });

const jobs = defineResource<Job>({
  kind: "Job",
  scope: "Namespaced",
  summary: "A job.",
  storedAs: home,
  storedUnder: "example.com/jobs",
  served: {
    [home]: {
      schema: Job,
      introduced: "1.0",
      subresources: {
        restart: {
          create: {
            request: { groupVersion: home, schema: Restart },
            validate: ({ spec }: Restart) => spec.reason === "invalid" ? [invalid("spec.reason", spec.reason, "must be valid")] : [],
            write: ({ spec }: Restart, prior: Job) => ({ ...prior, spec: { restartedFor: spec.reason } as Job["spec"] }),
          },
        },
        report: {
          create: { response: { groupVersion: home, schema: Report }, respond: () => ({ status: { text: "fine" } }) },
        },
      },
    },
  },
});

const older = "example.com/v1beta1";
const JobBeta = { ...Job, package: older };
/** A resource with an action in two versions. */
const tasks = defineResource<Job>({
  kind: "Task",
  scope: "Namespaced",
  summary: "A task.",
  storedAs: home,
  storedUnder: "example.com/tasks",
  served: Object.fromEntries(
    [home, older].map((groupVersion) => [groupVersion, {
      schema: { ...(groupVersion === home ? Job : JobBeta), name: "Task" },
      introduced: "1.34",
      subresources: {
        restart: {
          create: {
            request: { groupVersion: home, schema: Restart },
            write: ({ spec }: Restart, prior: Job) => ({ ...prior, spec: { restartedFor: spec.reason } as Job["spec"] }),
          },
        },
      },
    }]),
  ),
});

/** Calls of the steps, in order. */
let called: string[] = [];
const first: Admission<Job> = {
  name: "First",
  resources: [jobs],
  mutateAction(request: Restart, subresource) {
    called.push(`mutate ${subresource}`);
    return request.spec.reason === "change" ? { ...request, spec: { ...request.spec, reason: "changed" } } : request;
  },
};
const second: Admission<Job> = {
  name: "Second",
  resources: [jobs],
  refuseAction(request: Restart | undefined, subresource, { caller, requestName }) {
    called.push(`refuse ${subresource} ${requestName} of ${caller.name}: ${request?.spec.reason}`);
    return request?.spec.reason === "forbidden" || requestName === "secret" ? "not today" : undefined;
  },
};
const plugin = definePlugin({ name: "jobs", summary: "Jobs.", resources: [jobs, tasks], admission: [first, second] });

let server: TestServer;
before(async () => {
  server = await openTestServer({ plugins: [plugin], settings: { "runtime-config": { [older]: true } } });
});
after(() => server.close());

const path = `/apis/${home}/namespaces/default/jobs`;
async function post(url: string, body?: unknown) {
  called = [];
  const { status, body: answer } = await ask(server, "POST", url, body);
  return { status, answer };
}
const restart = (reason: string) => ({ apiVersion: home, kind: "Restart", spec: { reason } });
const metadata = (name: string) => ({ metadata: { name } });

test("admission steps change the request of an action, and see it after its validation", async () => {
  await post(path, metadata("one"));
  const { status, answer } = await post(`${path}/one/restart`, restart("change"));
  assert.deepEqual([status, answer.spec], [201, { restartedFor: "changed" }]);
  assert.deepEqual(called, ["mutate restart", "refuse restart one of admin: changed"]);
  assert.equal((await post(`${path}/one/restart`, restart("invalid"))).status, 422);
  assert.deepEqual(called, ["mutate restart"]);
});

test("an admission step rejects an action, also in a dry run; nothing is stored", async () => {
  await post(path, metadata("two"));
  for (const query of ["", "?dryRun=All"]) {
    const { status, answer } = await post(`${path}/two/restart${query}`, restart("forbidden"));
    assert.deepEqual([status, answer.reason, answer.message], [403, "Forbidden", 'jobs.example.com "two" is forbidden: not today']);
  }
  const stored: any = await server.api.get(home, "jobs", "default", "two");
  assert.equal(stored.spec?.restartedFor, undefined);
});

test("admission steps reject an action without a request kind and without write", async () => {
  await post(path, metadata("secret"));
  await post(path, metadata("open"));
  assert.equal((await post(`${path}/secret/report`)).status, 403);
  const { status, answer } = await post(`${path}/open/report`);
  assert.deepEqual([status, answer.status], [201, { text: "fine" }]);
  assert.deepEqual(called, ["refuse report open of admin: undefined"]);
});

test("an action on a missing object is a 404 before its admission", async () => {
  assert.equal((await post(`${path}/missing/report`)).status, 404);
  assert.deepEqual(called, []);
});

test("the time of admission steps for actions is recorded with the operation CREATE", async () => {
  const text = await textOf(server, "/metrics");
  for (const [name, type, rejected] of [["First", "admit", false], ["Second", "validate", false], ["Second", "validate", true]]) {
    const labels = `name="${name}",operation="CREATE",rejected="${rejected}",type="${type}"`;
    assert.match(text, new RegExp(`^apiserver_admission_controller_admission_duration_seconds_count\\{${labels}\\} [1-9]`, "m"));
  }
});

test("a policy for an action in one version covers it in the others, unless it is exact", async () => {
  const ofTasks = (version: string) => `/apis/example.com/${version}/namespaces/default/tasks`;
  await post(ofTasks("v1"), metadata("one"));
  for (const [matchPolicy, codes] of [["Equivalent", [422, 422]], ["Exact", [422, 201]]] as const) {
    const name = matchPolicy.toLowerCase();
    const rule = { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["tasks/restart"] };
    const spec = {
      matchConstraints: { matchPolicy, resourceRules: [rule] },
      validations: [{ expression: "object.spec.reason != 'forbidden' || request.resource.version != 'v1'" }],
    };
    const group = "/apis/admissionregistration.k8s.io/v1", policies = `${group}/validatingadmissionpolicies`;
    await post(policies, { metadata: { name }, spec });
    const binding = { metadata: { name }, spec: { policyName: name, validationActions: ["Deny"] } };
    await post(`${group}/validatingadmissionpolicybindings`, binding);
    const seen = [];
    for (const version of ["v1", "v1beta1"]) seen.push((await post(`${ofTasks(version)}/one/restart`, restart("forbidden"))).status);
    assert.deepEqual(seen, codes);
    await done(server, "DELETE", `${policies}/${name}`);
  }
});
