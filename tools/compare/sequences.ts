import type { Json, JsonObject } from "../../core/json.ts";
import { randomOf } from "../../core/random.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { comparable } from "./answers.ts";
import { type Ask, type Difference, differenceOf } from "./compare-kind.ts";

/** What requests of one sort found. */
export interface Sequence {
  readonly place: string;
  readonly requests: number;
  readonly differences: readonly Difference[];
}

interface Run {
  readonly ours: Ask;
  readonly theirs: Ask;
  readonly namespace: string;
  readonly seed: number;
  readonly count: number;
  readonly catalog: Catalog;
}

/** Sends each request to both servers and keeps what differs. */
class Pair {
  readonly #run: Run;
  readonly differences: Difference[] = [];
  requests = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  async send(what: string, method: string, path: string, body?: Json, headers?: Readonly<Record<string, string>>): Promise<void> {
    this.requests++;
    const { ours, theirs } = this.#run;
    const [mine, peers] = await Promise.all([ours(method, path, body, headers), theirs(method, path, body, headers)]);
    const difference = differenceOf(method, what, comparable(withoutItems(mine)), comparable(withoutItems(peers)));
    if (difference !== undefined) this.differences.push({ ...difference, path });
  }

  done(place: string): Sequence {
    return { place, requests: this.requests, differences: this.differences };
  }
}

/** Of a list only its kind: the objects of the two servers are others. */
function withoutItems({ status, body }: { readonly status: number; readonly body: Json | undefined }) {
  const { kind = "" } = (body ?? {}) as { readonly kind?: string };
  return { status, body: kind.endsWith("List") ? { kind } : body };
}

const fields = [
  ...["metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "name", "bogus", "type", "reason", "source"],
  ...["spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork", "spec.unschedulable"],
  ...["status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName", "status.successful", "status.replicas"],
  ...["spec.clusterIP", "spec.type", "spec.signerName", "spec.driver", "spec.podName", "spec.parentRef.name", "spec.provisioner"],
  ...["involvedObject.kind", "involvedObject.name", "regarding.kind", "reportingComponent", "reportingController", "spec.group"],
];
const selectors = ["=a", "==a", "!=a", "=", "=Running,metadata.name=b", "=a\\,b", "=a\\x", ""];

/** Lists of each kind by fields, whether it can be selected by them or not. */
async function selectorsOfKinds(run: Run): Promise<Sequence> {
  const pair = new Pair(run), random = randomOf(run.seed);
  const endpoints = run.catalog.groups.flatMap(({ versions }) => versions.flatMap(({ endpoints }) => endpoints));
  for (const { group, version, plural, namespaced, verbs } of endpoints.filter(({ verbs }) => verbs.includes("list"))) {
    const root = `${group === "" ? "/api" : `/apis/${group}`}/${version}`;
    const path = `${root}${namespaced && random() < 0.7 ? `/namespaces/${run.namespace}` : ""}/${plural}`;
    await Promise.all(fields.map((field) => {
      const selector = `${field}${selectors[Math.floor(random() * selectors.length)]!}`;
      return pair.send(`${plural} by ${selector}`, "GET", `${path}?limit=1&fieldSelector=${encodeURIComponent(selector)}`);
    }));
    if (!verbs.includes("deletecollection")) continue;
    const none = encodeURIComponent("metadata.name=no-such,bogus=a");
    await pair.send(`${plural} are deleted`, "DELETE", `${path}?dryRun=All&fieldSelector=${none}`);
  }
  return pair.done("field selectors");
}

/** Evictions of pods in states of their own, under budgets in states of their own. */
async function evictions(run: Run): Promise<Sequence> {
  const pair = new Pair(run), random = randomOf(run.seed);
  const among = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const one = async (nth: number): Promise<void> => {
    const name = `evicted-${nth}`, pods = `/api/v1/namespaces/${run.namespace}/pods`;
    const budgets = `/apis/policy/v1/namespaces/${run.namespace}/poddisruptionbudgets`;
    const finalizers = among([], [], ["example.com/hold"]);
    const pod: JsonObject = {
      metadata: { name, labels: { app: name }, finalizers },
      spec: { containers: [{ name: "c", image: "registry.example.com/a:1" }] },
    };
    await pair.send("pod", "POST", pods, pod);
    if (random() < 0.7) {
      await pair.send("bound", "POST", `${pods}/${name}/binding`, { metadata: { name }, target: { kind: "Node", name: "none" } });
    }
    const phase = among("Pending", "Running", "Running", "Running", "Succeeded", "Failed");
    const conditions = among([], [{ type: "Ready", status: "True" }], [{ type: "Ready", status: "False" }]);
    await pair.send(`is ${phase}`, "PUT", `${pods}/${name}/status`, { ...pod, status: { phase, conditions } });
    const budgetCount = among(0, 1, 1, 1, 2), states: string[] = [phase, JSON.stringify(conditions)];
    for (let index = 0; index < budgetCount; index++) {
      const budget = { metadata: { name: `${name}-${index}` }, spec: budgetSpec(name, among) };
      const status = budgetState(name, among);
      states.push(JSON.stringify(budget.spec), JSON.stringify(status));
      await pair.send("budget", "POST", budgets, budget);
      await pair.send("state of a budget", "PUT", `${budgets}/${name}-${index}/status`, { ...budget, status });
    }
    for (const attempt of ["first", "second"]) {
      const options = evictionOptions(among), what = `${attempt} eviction: ${JSON.stringify(options)} ${states.join(" ")}`;
      await pair.send(what, "POST", `${pods}/${name}/eviction${among("", "", "?dryRun=All")}`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: among(name, name, name, name, "other") },
        ...options,
      });
      await pair.send(`after ${what}`, "GET", `${pods}/${name}`);
      if (budgetCount > 0) await pair.send(`budget after ${what}`, "GET", `${budgets}/${name}-0`);
    }
  };
  for (let nth = 0; nth < run.count; nth += atOnce) await Promise.all(Array.from({ length: atOnce }, (_, index) => one(nth + index)));
  return pair.done("evictions");
}
/** Pods that are evicted at the same time. */
const atOnce = 8;

type Among = <T>(...values: readonly T[]) => T;

function budgetSpec(app: string, among: Among): JsonObject {
  return {
    selector: among({ matchLabels: { app } }, { matchLabels: { app } }, { matchLabels: { app } }, {}, { matchLabels: { app: "none" } }),
    ...among<JsonObject>({ minAvailable: 1 }, { maxUnavailable: "50%" }, { maxUnavailable: 0 }, {}),
    ...among<JsonObject>({}, { unhealthyPodEvictionPolicy: "AlwaysAllow" }, { unhealthyPodEvictionPolicy: "IfHealthyBudget" }),
  };
}

function budgetState(app: string, among: Among): JsonObject {
  return {
    observedGeneration: among(0, 1, 1, 1, 2),
    disruptionsAllowed: among(0, 0, 1, 1, 2),
    currentHealthy: among(0, 1, 2),
    desiredHealthy: among(0, 1, 2),
    expectedPods: among(0, 1, 2),
    disruptedPods: among<JsonObject>({}, {}, { [app]: "2024-01-02T03:04:05Z" }),
    conditions: among<readonly JsonObject[]>([], [{
      type: "DisruptionAllowed",
      status: "False",
      reason: "InsufficientPods",
      lastTransitionTime: "2024-01-02T03:04:05Z",
      message: "",
    }]),
  };
}

function evictionOptions(among: Among): JsonObject {
  const deleteOptions = among<JsonObject | undefined>(
    undefined,
    undefined,
    {},
    { gracePeriodSeconds: among(0, 1, 30, -1) },
    { dryRun: ["All"] },
    { dryRun: ["Some"] },
    { preconditions: { uid: "not-this" } },
    { preconditions: { resourceVersion: "1" } },
    { propagationPolicy: among("Foreground", "Orphan", "Odd") },
    { orphanDependents: true, propagationPolicy: "Background" },
  );
  return deleteOptions === undefined ? {} : { deleteOptions };
}

/** Bindings of pods by both of their paths. */
async function bindings(run: Run): Promise<Sequence> {
  const pair = new Pair(run), random = randomOf(run.seed + 1);
  const among = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  for (let nth = 0; nth < run.count; nth++) {
    const name = `bound-${nth}`, pods = `/api/v1/namespaces/${run.namespace}/pods`;
    const gates = among<JsonObject>({}, {}, { schedulingGates: [{ name: "example.com/wait" }] });
    const spec = { ...gates, containers: [{ name: "c", image: "registry.example.com/a:1" }] };
    await pair.send("pod", "POST", pods, { metadata: { name, annotations: { kept: "a" } }, spec });
    for (let attempt = 0; attempt < 3; attempt++) {
      const target = among<Json>(
        { kind: "Node", name: "one" },
        { kind: "Node", name: "one" },
        { name: "two" },
        { kind: "Minion", name: "one" },
        { kind: "Pod", name: "one" },
        { kind: "Node" },
        {},
        { kind: "Node", name: "Not_A-Name!" },
      );
      const metadata = {
        name: among(name, name, name, name, "other", ""),
        ...among<JsonObject>({}, {}, { annotations: { kept: "b", more: "c" } }, { labels: { a: "b" } }, { uid: "not-this" }, {
          resourceVersion: "1",
        }),
      };
      const path = among(`${pods}/${name}/binding`, `/api/v1/namespaces/${run.namespace}/bindings`), dry = among("", "", "?dryRun=All");
      await pair.send(`${JSON.stringify(metadata)} ${JSON.stringify(target)}`, "POST", `${path}${dry}`, { metadata, target });
      await pair.send(`after ${JSON.stringify(metadata)} ${JSON.stringify(target)}`, "GET", `${pods}/${name}`);
    }
  }
  return pair.done("bindings");
}

/** The sorts of requests that have states of their own, by name. */
export const sequences: Readonly<Record<string, (run: Run) => Promise<Sequence>>> = { selectors: selectorsOfKinds, evictions, bindings };
