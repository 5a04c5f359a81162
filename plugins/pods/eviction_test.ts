// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { statusOf } from "../../core/status-error.ts";
import { conflictError, StatusError } from "../../plugin.ts";
import { fakeRequestContext, noMetric } from "../../core/test-context.ts";
import { defaultNames } from "../../core/names.ts";
import { type Budget, disruptedPodsMax, evictionTriesMax } from "./disruption-budgets.ts";
import { eviction } from "./eviction.ts";

const now = "2024-01-02T03:04:05Z";
const ready = { conditions: [{ type: "Ready", status: "True" }] };

interface World {
  readonly budgets?: readonly object[];
  readonly status?: object;
  readonly options?: object;
  readonly isDryRun?: boolean;
  readonly metadata?: object;
  /** Called before the status of a budget is written. */
  readonly updating?: (budget: Budget) => void;
  /** Called before the pod is changed. */
  readonly changing?: (pod: any) => any;
}

const budgetOf = ({ status, spec, ...metadata }: any = {}): any => ({
  metadata: { name: "b", namespace: "ns", generation: 1, ...metadata },
  spec: { selector: {}, ...spec },
  status: { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 1, ...status },
});

/** Evicts a running pod. Returns the calls that change something, and the error, if any. */
async function evict({ budgets = [], status = ready, options, isDryRun = false, metadata, updating, changing = (pod) => pod }: World) {
  const done: unknown[] = [];
  let pod: any = {
    metadata: { name: "a", namespace: "ns", uid: "u", resourceVersion: "7", labels: { app: "x" }, ...metadata },
    spec: {},
    status: { phase: "Running", ...status },
  };
  const context = fakeRequestContext({
    names: defaultNames,
    gates: () => false,
    now,
    subresource: "eviction",
    requestVersion: "v1",
    minCompatibility: "1.35",
    caller: { name: "alice", groups: [] },
    metric: noMetric,
  }, {
    isDryRun,
    server: {
      newest: () => Promise.resolve(budgets as any),
      updateStatus: (_version, _resource, object) => {
        updating?.(object as Budget);
        done.push(["budget", (object as Budget).status]);
        return Promise.resolve(object);
      },
    },
  });
  const request = { metadata: { name: "a" }, ...(options === undefined ? {} : { deleteOptions: options }) } as any;
  try {
    await eviction.perform!(request, {
      read: () => Promise.resolve(pod),
      change(change) {
        pod = changing(pod);
        const next = change(pod);
        pod = { ...next, metadata: { ...next.metadata, resourceVersion: "8" } };
        done.push(["pod", next.status.conditions!.map((each: any) => each.type).join(" ")]);
        return Promise.resolve(pod);
      },
      delete(given) {
        done.push(["delete", given]);
        return Promise.resolve();
      },
    }, context);
    return { done, error: undefined };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { message = "", code, details } = statusOf(error);
    return {
      done,
      error: [code, details?.causes?.[0]?.message ?? message, details?.retryAfterSeconds].filter((each) => each !== undefined),
    };
  }
}

test("an eviction marks the pod and deletes it with the options of the client", async () => {
  const { done } = await evict({ options: { gracePeriodSeconds: 7 } });
  assert.deepEqual(done, [["pod", "Ready DisruptionTarget"], ["delete", { gracePeriodSeconds: 7 }]]);
});

test("a pod that is pending, has ended or is being deleted needs no budget", async () => {
  const budgets = [budgetOf({ status: { disruptionsAllowed: 0 } })];
  const optionsOf = async (world: World) => (await evict({ budgets, ...world })).done.at(-1);
  // The version of the last one is that of the marked pod: nobody may make it ready in between.
  assert.deepEqual(await optionsOf({ status: { phase: "Pending" } }), ["delete", { preconditions: { resourceVersion: "8" } }]);
  assert.deepEqual(await optionsOf({ status: { phase: "Failed" } }), ["delete", {}]);
  assert.deepEqual(await optionsOf({ status: { phase: "Succeeded" } }), ["delete", {}]);
  assert.deepEqual(await optionsOf({ metadata: { deletionTimestamp: now } }), ["delete", {}]);
});

test("a budget with room counts the eviction; the last one changes its condition", async () => {
  const [counted] = (await evict({ budgets: [budgetOf({ status: { disruptionsAllowed: 2 } })] })).done as any;
  assert.deepEqual(counted[1].disruptionsAllowed, 1);
  assert.deepEqual([counted[1].disruptedPods, counted[1].conditions], [{ a: now }, undefined]);
  const [last] = (await evict({ budgets: [budgetOf()] })).done as any;
  assert.deepEqual(last[1].conditions, [{
    type: "DisruptionAllowed",
    status: "False",
    observedGeneration: 1,
    lastTransitionTime: now,
    reason: "InsufficientPods",
    message: "",
  }]);
});

test("a dry run checks the budget and counts nothing", async () => {
  const dry = { dryRun: ["All"] };
  for (const world of [{ isDryRun: true }, { options: dry }, { isDryRun: true, options: dry }]) {
    assert.deepEqual((await evict({ budgets: [budgetOf()], ...world })).done, [["delete", dry]]);
  }
  const { error } = await evict({ isDryRun: true, options: { dryRun: ["All", "All"] } });
  assert.deepEqual(error, [500, "Non-matching dry-run options in request and content: [All] and [All All]"]);
  const { error: other } = await evict({ isDryRun: true, options: { dryRun: ["Some"] } });
  assert.deepEqual(other, [500, "Non-matching dry-run options in request and content: [All] and [Some]"]);
});

test("a budget refuses with its reason", async () => {
  const of = async (status: object) => (await evict({ budgets: [budgetOf({ status: { disruptionsAllowed: 0, ...status } })] })).error;
  const condition = (reason: string, message: string) => ({
    currentHealthy: 2,
    conditions: [{ type: "DisruptionAllowed", status: "False", reason, message }],
  });
  const refusal = "The disruption budget b does not allow evicting pods currently";
  assert.deepEqual(await of({ observedGeneration: 0 }), [429, "The disruption budget b is still being processed by the server.", 10]);
  assert.deepEqual(await of({}), [429, "The disruption budget b needs 1 healthy pods and has 1 currently"]);
  assert.deepEqual(await of({ currentHealthy: 2 }), [429, refusal]);
  assert.deepEqual(await of(condition("SyncFailed", "no scale")), [429, `${refusal} because it failed sync: no scale`]);
  assert.deepEqual(await of(condition("Other", "why")), [429, `${refusal} (Other): why`]);
  const forbidden = 'poddisruptionbudget.policy "b" is forbidden: ';
  assert.deepEqual(await of({ disruptionsAllowed: -1 }), [403, `${forbidden}pdb disruptions allowed is negative`]);
  const disrupted = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, now]));
  const tooBig = `${forbidden}DisruptedPods map too big - too many evictions not confirmed by PDB controller`;
  assert.equal(await of({ disruptionsAllowed: 1, disruptedPods: disrupted(disruptedPodsMax) }), undefined);
  assert.deepEqual(await of({ disruptionsAllowed: 1, disruptedPods: disrupted(disruptedPodsMax + 1) }), [403, tooBig]);
});

test("a pod has one budget at most, and only budgets that select it count", async () => {
  const two = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
  assert.deepEqual((await evict({ budgets: [budgetOf(), budgetOf({ name: "c" })] })).error, [500, two]);
  const others = [budgetOf({ spec: { selector: { matchLabels: { app: "y" } } } }), budgetOf({ spec: { selector: undefined } })];
  assert.deepEqual((await evict({ budgets: others })).done.length, 2);
});

test("a pod that is not ready passes a budget that is met or always allows it, as long as it stays as it is", async () => {
  const policy = { unhealthyPodEvictionPolicy: "AlwaysAllow" }, unmet = { disruptionsAllowed: 0, currentHealthy: 0 };
  const unready = { conditions: [{ type: "Ready", status: "False" }] };
  for (const budget of [budgetOf({ status: { disruptionsAllowed: 0 } }), budgetOf({ spec: policy, status: unmet })]) {
    const { done } = await evict({ budgets: [budget], status: unready });
    assert.deepEqual(done.at(-1), ["delete", { preconditions: { resourceVersion: "8" } }]);
  }
  assert.equal((await evict({ budgets: [budgetOf({ status: unmet })], status: unready })).error?.[0], 429);
  const changing = (pod: any) => ({ ...pod, metadata: { ...pod.metadata, resourceVersion: "9" } });
  const { error } = await evict({ budgets: [budgetOf({ spec: policy })], status: unready, changing });
  assert.deepEqual(error, [429, "The disruption budget b is still being processed by the server.", 10]);
});

test("a budget that others change is read again, up to a bound", async () => {
  let tries = 0;
  const lost = (until: number) => () => {
    if (++tries <= until) throw conflictError({ group: "policy", name: "poddisruptionbudgets" }, "b", "lost");
  };
  assert.equal((await evict({ budgets: [budgetOf()], updating: lost(evictionTriesMax - 1) })).error, undefined);
  tries = 0;
  const { error } = await evict({ budgets: [budgetOf()], updating: lost(evictionTriesMax) });
  assert.deepEqual(error, [504, `Timeout: couldn't update PodDisruptionBudget "b" due to conflicts`, 10]);
});

test("preconditions of the client are those of the pod", async () => {
  const of = async (preconditions: object) => (await evict({ options: { preconditions } })).error;
  const refused = 'Operation cannot be fulfilled on Pod "a": the';
  assert.equal(await of({ uid: "u", resourceVersion: "7" }), undefined);
  assert.deepEqual(await of({ uid: "v" }), [
    409,
    `${refused} UID in the precondition (v) does not match the UID in record (u). The object might have been deleted and then recreated`,
  ]);
  assert.deepEqual(await of({ resourceVersion: "6" }), [
    409,
    `${refused} ResourceVersion in the precondition (6) does not match the ResourceVersion in record (7). The object might have been modified`,
  ]);
});

test("the body names the pod of the path and cannot ask for an unsafe deletion", () => {
  const check = (body: any) => eviction.validateRequest!(body, "a").map(({ path }) => path);
  assert.deepEqual(check({ metadata: { name: "a" } }), []);
  assert.throws(() => check({ metadata: {} }), { message: "name in URL does not match name in Eviction object" });
  const field = "ignoreStoreReadErrorWithClusterBreakingPotential";
  assert.deepEqual(check({ metadata: { name: "a" }, deleteOptions: { [field]: true } }), [`deleteOptions.${field}`]);
});
