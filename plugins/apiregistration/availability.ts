/** Keeps the condition Available of APIServices, as kube-apiserver's controllers for local and remote ones. */
import { type ApiObject, type ControllerContext, runWorkQueue, type StartHook, StatusError } from "../../plugin.ts";
import { pause, sameValue, spell, systemClock, timestampOf } from "../../toolbox.ts";
import { isServed } from "../shared/is-served.ts";
import { apiServices } from "./api-service.ts";
import { availableOf, isLocal, localCondition } from "./available.ts";
import { type Finding, findingOf } from "./finding.ts";
import { becameUnavailable, unavailable } from "./metrics.ts";
import { targetOf } from "./resolve.ts";
import { type APIService, groupVersion, plural } from "./schema.ts";

/** Milliseconds between checks of a service that nothing has changed, and before the controller begins again after an error. */
const againMs = 30_000, restartMs = 1_000;
/** Longest pause after a failed check, in milliseconds (upstream's). */
const retryMsMax = 30_000;
/** APIServices that are checked at the same time. */
const workers = 5;

/** Thrown after a failed check has been written, so that it is repeated soon. */
class CheckFailed extends Error {}

export const availability: StartHook = Object.freeze<StartHook>({
  name: "apiservice-status-remote-available-controller",
  fieldManager: "kube-apiserver",
  run: () => Promise.resolve(),
  async follow(world, signal) {
    const { logError } = world;
    if (!isServed(world, { groupVersion, resource: plural })) return;
    while (!signal.aborted) {
      try {
        await check(world, signal);
      } catch (error) {
        if (!signal.aborted) logError("the availability of APIServices cannot be checked", error);
        await pause(restartMs, signal, systemClock);
      }
    }
  },
});

async function check(world: ControllerContext, signal: AbortSignal): Promise<void> {
  const { api, names } = world, services = api.of(apiServices).informer("");
  const quiet = (sentence: string, error?: unknown) => error instanceof CheckFailed || world.logError(sentence, error);
  await runWorkQueue({
    context: { ...world, logError: quiet },
    signal,
    workers,
    retry: { maxMs: retryMsMax },
    work: async (name, queue) => {
      const found = services.get("", name);
      if (found === undefined) return forget(world, name);
      if (isLocal(found)) return await keepLocal(world, found);
      queue.addAfter(name, againMs);
      const finding = await findingOf(world, found, queue.signal);
      if (queue.signal.aborted) return;
      await write(world, found, finding);
      if (finding.reason === "FailedDiscoveryCheck") throw new CheckFailed(finding.message);
    },
  }, async (queue, until) => {
    const { promise: hasRemote, resolve: remoteSeen } = Promise.withResolvers<void>();
    const changed = (object: ApiObject) => queue.add(object.metadata.name ?? "");
    const added = (apiService: APIService) => {
      changed(apiService);
      if (!isLocal(apiService)) remoteSeen();
    };
    const watching = services.run(until, {
      added,
      updated(next, before) {
        // The condition that is written here is no reason for another check.
        if (isLocal(next) || !sameValue(next.spec, before.spec)) added(next);
      },
      deleted: changed,
    });
    /** Checks the APIServices of a service that has changed. */
    const ofService = (namespace: string, name: string) => {
      for (const each of services.objects()) {
        const target = targetOf(each);
        if (target?.namespace === namespace && target.name === name) changed(each);
      }
    };
    const label = spell(names, "{platform}.io/service-name");
    // A server with local ones only need not follow all services.
    await Promise.race([hasRemote, watching]);
    await Promise.all([
      watching,
      follow(world, "v1", "services", ({ metadata: { namespace = "", name = "" } }) => ofService(namespace, name), until),
      follow(world, "discovery.{domain}/v1", "endpointslices", ({ metadata: { namespace = "", labels = {} } }) => {
        ofService(namespace, labels[label] ?? "");
      }, until),
    ]);
  });
}

/** Calls `changed` for each change, if the resource is served. */
async function follow(
  world: ControllerContext,
  groupVersion: string,
  resource: string,
  changed: (object: ApiObject) => void,
  signal: AbortSignal,
): Promise<void> {
  if (!isServed(world, { groupVersion, resource })) return;
  for await (const { object } of world.api.watch(groupVersion, resource, "", {}, signal)) changed(object);
}

async function keepLocal({ api, metric, clock }: ControllerContext, found: APIService): Promise<void> {
  const now = availableOf(found);
  metric(unavailable).with({ name: found.metadata.name ?? "" }).set(0);
  if (now?.status === "True" && now.reason === "Local") return;
  await writeStatus(api, found, localCondition(timestampOf(clock.now())));
}

async function write({ api, metric, clock }: ControllerContext, found: APIService, finding: Finding): Promise<void> {
  const { name = "" } = found.metadata, before = availableOf(found);
  metric(unavailable).with({ name }).set(finding.status === "True" ? 0 : 1);
  const isSame = before?.status === finding.status && before.reason === finding.reason && before.message === finding.message;
  if (isSame) return;
  // The time is that of the last change of the status.
  const lastTransitionTime = before?.status === finding.status ? before.lastTransitionTime : timestampOf(clock.now());
  await writeStatus(api, found, { type: "Available", ...finding, lastTransitionTime });
  if (finding.status !== "True" && before?.status !== finding.status) {
    metric(becameUnavailable).with({ name, reason: finding.reason }).add();
  }
}

async function writeStatus(api: ControllerContext["api"], found: APIService, condition: ReturnType<typeof localCondition>): Promise<void> {
  const others = (found.status.conditions ?? []).filter(({ type }) => type !== condition.type);
  const next = { ...found, status: { ...found.status, conditions: [...others, condition] } };
  try {
    await api.of(apiServices).update("", found.metadata.name ?? "", next, { subresource: "status" });
  } catch (error) {
    // The event of the change that came first leads to another check.
    if (!(error instanceof StatusError && (error.reason === "Conflict" || error.reason === "NotFound"))) throw error;
  }
}

function forget({ metric }: ControllerContext, name: string): void {
  metric(unavailable).with({ name }).set(0);
}
