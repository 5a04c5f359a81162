// A simulated cluster whose time the test advances.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
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
