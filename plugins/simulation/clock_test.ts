// A simulated cluster whose time the test advances.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../../testing.ts";
import { eventually } from "./test-world.ts";

// deno-lint-ignore-file no-explicit-any -- statuses are read as they come.

const container = { name: "c", image: "i" };

test("an hour of CronJobs passes at once", async () => {
  await using server = await openTestServer({ simulate: true, clock: "manual" });
  const { api, clock } = server,
    schedule = (name: string, schedule: string, more: object = {}) =>
      api.create("batch/v1", "cronjobs", "default", {
        metadata: { name },
        spec: {
          schedule,
          successfulJobsHistoryLimit: 100,
          jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
          ...more,
        },
      });
  await schedule("minute", "* * * * *");
  await schedule("quarter", "*/15 * * * *", { successfulJobsHistoryLimit: 3 });
  await clock.advance("1h");
  const { items } = await api.list("batch/v1", "jobs", "default") as any;
  const of = (name: string) => items.filter(({ metadata }: any) => metadata.ownerReferences[0].name === name);
  const isComplete = ({ status }: any) => status.conditions?.some(({ type, status }: any) => type === "Complete" && status === "True");
  assert.equal(of("minute").length, 60);
  assert.deepEqual(of("minute").filter((job: any) => !isComplete(job)).map(({ metadata }: any) => metadata.name), []);
  assert.equal(of("quarter").length, 3);
  const starts = of("minute").map(({ status }: any) => Date.parse(status.startTime)).sort((a: number, b: number) => a - b);
  assert.deepEqual(starts.map((start: number) => (start - starts[0]) / 60_000), starts.map((_: number, at: number) => at));
});

test("waits of pods and workloads follow the clock: restarts, deadlines, tolerations", async () => {
  await using server = await openTestServer({ simulate: true, clock: "manual" });
  const { api, clock } = server, pod = async (name: string) => await api.get("v1", "pods", "default", name) as any;
  const create = (name: string, annotations: object) =>
    api.create("v1", "pods", "default", { metadata: { name, annotations }, spec: { containers: [container] } });
  await create("slow", { "simulation.thole.dev/start-after": "5m" });
  await create("crash", { "simulation.thole.dev/exit-code": "1", "simulation.thole.dev/run-for": "1s" });
  await eventually(async () => assert.equal((await pod("slow")).status.containerStatuses[0].state.waiting.reason, "ContainerCreating"));
  await clock.advance("4m59s");
  assert.equal((await pod("slow")).status.phase, "Pending");
  await clock.advance("1s");
  assert.equal((await pod("slow")).status.phase, "Running");
  // Its ends are at 1, 2, 13, 34, 75 and 156 seconds.
  assert.equal((await pod("crash")).status.containerStatuses[0].restartCount, 5);
});

test("a Job of one pod takes 21 requests of controllers; an autoscaler at rest takes none", async () => {
  await using server = await openTestServer({ simulate: true, clock: "manual" });
  const { api, clock } = server, template = { spec: { restartPolicy: "Never", containers: [container] } };
  await api.create("batch/v1", "cronjobs", "default", {
    metadata: { name: "minute" },
    spec: { schedule: "* * * * *", successfulJobsHistoryLimit: 1, jobTemplate: { spec: { template } } },
  });
  const labels = { app: "web" };
  await api.create("apps/v1", "deployments", "default", {
    metadata: { name: "web" },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  });
  await api.create("autoscaling/v2", "horizontalpodautoscalers", "default", {
    metadata: { name: "web" },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
  });
  await clock.advance("10m");
  const before = await ownRequests(server);
  await clock.advance("10m");
  const made = new Map([...await ownRequests(server)].map(([name, count]) => [name, (count - (before.get(name) ?? 0)) / 10]));
  const ofJobs = ["batch jobs", "batch cronjobs", " pods", "events.k8s.io events"].map((kind) =>
    [...made].filter(([name]) => name.startsWith(`${kind}/`))
  );
  assert.deepEqual(ofJobs.map((each) => each.reduce((sum, [, count]) => sum + count, 0)), [8, 3, 7, 3]);
  assert.equal(made.get("batch jobs/status PUT"), 4);
  assert.equal(made.get("autoscaling horizontalpodautoscalers/status PUT"), 0);
  assert.equal(made.get("apps deployments/status PUT"), 0);
});

/** The requests that the server has made to itself, by kind, part and verb. */
async function ownRequests(server: TestServer): Promise<ReadonlyMap<string, number>> {
  const text = await (await server.handle(new Request("https://test/metrics"))).text(), counts = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, group, resource, part, verb, count] =
      /^apiserver_selfrequest_total\{group="([^"]*)",resource="([^"]*)",subresource="([^"]*)",verb="([^"]*)"\} (\d+)/.exec(line) ?? [];
    if (count !== undefined) counts.set(`${group} ${resource}/${part} ${verb}`, Number(count));
  }
  return counts;
}
