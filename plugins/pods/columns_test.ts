// In Deno's suite only: cells of tables use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellAt } from "../../core/test-cells.ts";
import { openTestServer } from "../../testing.ts";
import { columns } from "./columns.ts";

const now = Date.parse("2024-01-02T03:10:00Z"), ended = "2024-01-02T03:05:00Z";
const running = { running: { startedAt: null } };
const state = (rest: object) => ({ name: "c", image: "i", imageID: "", ready: false, restartCount: 0, ...rest });

/** Ready, Status and Restarts of a pod with a sidecar, an init container and a container. */
function shown(status: object, metadata: object = {}): readonly unknown[] {
  const spec = {
    containers: [{ name: "c" }],
    initContainers: [{ name: "side", restartPolicy: "Always" }, { name: "i" }],
  };
  const pod: any = { metadata: { name: "one", ...metadata }, spec, status: { phase: "Pending", ...status } }; // only some members are read
  return columns.slice(1, 4).map(({ cell }) => cellAt(cell(pod), now));
}

test("the status of a pod is its phase, its reason, or that of its containers", () => {
  assert.deepEqual(shown({}), ["0/2", "Pending", "0"]);
  assert.deepEqual(shown({ reason: "Evicted", phase: "Failed" }), ["0/2", "Evicted", "0"]);
  const gated = [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }];
  assert.deepEqual(shown({ conditions: gated }), ["0/2", "SchedulingGated", "0"]);
  assert.deepEqual(shown({ phase: "Running", containerStatuses: [state({ ready: true, state: running })] }), ["1/2", "Running", "0"]);
  assert.deepEqual(shown({ containerStatuses: [state({ state: { waiting: { reason: "ErrImagePull" } } })] })[1], "ErrImagePull");
  const end = (terminated: object) => shown({ containerStatuses: [state({ state: { terminated } })] })[1];
  assert.deepEqual([end({ exitCode: 3 }), end({ exitCode: 0, signal: 9 }), end({ exitCode: 1, reason: "Error" })], [
    "ExitCode:3",
    "Signal:9",
    "Error",
  ]);
});

test("a pod that starts shows its first init container that has not ended well", () => {
  const done = state({ name: "side", started: true, ready: true, state: running });
  const starting = (state2: object) => shown({ initContainerStatuses: [done, state({ name: "i", state: state2 })] });
  assert.deepEqual(starting(running), ["1/2", "Init:1/2", "0"]);
  assert.deepEqual(starting({ waiting: { reason: "CrashLoopBackOff" } })[1], "Init:CrashLoopBackOff");
  assert.deepEqual(starting({ terminated: { exitCode: 2 } })[1], "Init:ExitCode:2");
});

test("restarts are those of the containers, with the time since the last", () => {
  const again = { restartCount: 3, lastState: { terminated: { exitCode: 1, finishedAt: ended } } };
  assert.deepEqual(shown({ containerStatuses: [state({ ...again, state: running })] })[2], "3 (5m ago)");
  assert.deepEqual(shown({ containerStatuses: [state({ restartCount: 2, state: running })] })[2], "2");
});

test("a pod that is being deleted is Terminating, unless it has ended or its node is lost", () => {
  const deleted = { deletionTimestamp: ended };
  assert.deepEqual(shown({ phase: "Running" }, deleted)[1], "Terminating");
  assert.deepEqual(shown({ phase: "Running", reason: "NodeLost" }, deleted)[1], "Unknown");
  assert.deepEqual(
    shown({ phase: "Succeeded", containerStatuses: [state({ state: { terminated: { exitCode: 0, reason: "Completed" } } })] }, deleted)[1],
    "Completed",
  );
});

test("a row says that its pod has ended, and its cells stay", async () => {
  await using server = await openTestServer({ settings: { "disable-admission-plugins": ["ServiceAccount"] } });
  const spec = { containers: [{ name: "c", image: "i" }] }, pods = "/api/v1/namespaces/default/pods";
  const send = async (method: string, path: string, body?: object) => {
    const headers = {
      "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
    };
    const response = await server.handle(
      new Request(`https://server${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
    );
    return (await response.json()).rows?.[0];
  };
  await send("POST", pods, { metadata: { name: "a" }, spec });
  const cases: readonly (readonly [string, object | undefined])[] = [
    ["Running", undefined],
    ["Succeeded", { reason: "Succeeded", message: "The pod has completed successfully." }],
    ["Failed", { reason: "Failed", message: "The pod failed." }],
  ];
  for (const [phase, expected] of cases) {
    await send("PATCH", `${pods}/a/status`, { status: { phase } });
    for (const row of [await send("GET", `${pods}/a`), await send("GET", pods)]) {
      assert.deepEqual(row.conditions, expected && [{ type: "Completed", status: "True", ...expected }], phase);
      assert.deepEqual(row.cells.slice(0, 3), ["a", "0/1", phase]);
    }
  }
});
