/** Stores the day since which uses of legacy tokens are recorded. A token without a recorded use may have been used before that day. */
import { type ApiObject, type Controller, type ControllerContext, runWorkQueue, StatusError } from "../../plugin.ts";
import { type Names, spell } from "../../toolbox.ts";

/** The ConfigMap that holds the day: its namespace, its name, which is upstream's, and its key. */
export const trackingMap = Object.freeze({
  namespace: "kube-system",
  name: "kube-apiserver-legacy-service-account-token-tracking",
  key: "since",
});

/** Returns the labels of Secrets with legacy tokens. Their values are days such as `2026-11-23`. The server itself records the last use. */
export function legacyLabels(names: Names): { readonly lastUsed: string; readonly invalidSince: string } {
  const label = (name: string): string => spell(names, `{platform}.io/legacy-token-${name}`);
  return { lastUsed: label("last-used"), invalidSince: label("invalid-since") };
}

/** Returns the day in UTC, such as `2026-11-23`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
/** Returns the milliseconds since 1970 at the start of a day; undefined for other text. */
export function parseDay(text: string | undefined): number | undefined {
  const ms = text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) || dayOf(ms) !== text ? undefined : ms;
}

export interface ConfigMap extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const legacyTokenTracking: Controller = {
  name: "legacy-token-tracking",
  isRequired: true,
  fieldManager: "kube-apiserver",
  needs: ["configmaps", "secrets", "serviceaccounts"].map((resource) => ({ resource, groupVersions: ["v1"] })),
  async run(context, signal) {
    const { namespace, name } = trackingMap;
    await runWorkQueue(
      { context, signal, work: (key, queue) => ensure(context).then((done) => done ? undefined : queue.retry(key)) },
      async (queue, until) => {
        queue.add(name);
        for await (const _ of context.api.watch("v1", "configmaps", namespace, { fieldSelector: `metadata.name=${name}` }, until)) {
          queue.add(name);
        }
      },
    );
  },
};

/** Creates the ConfigMap with the current day, or sets the day if it has none. Resolves with false if it cannot be created yet. */
async function ensure({ api, clock }: ControllerContext): Promise<boolean> {
  const { namespace, name, key } = trackingMap, data = { [key]: dayOf(clock.now()) };
  try {
    const found: ConfigMap = await api.get("v1", "configmaps", namespace, name);
    if (parseDay(found.data?.[key]) !== undefined) return true;
    await api.update("v1", "configmaps", namespace, name, { ...found, data: { ...found.data, ...data } });
    return true;
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error; // after a conflict this is also tried again
    return await succeeds(api.create("v1", "configmaps", namespace, { metadata: { name }, data }));
  }
}

/** Whether the ConfigMap exists after this call. At the first start its namespace may be missing. */
async function succeeds(creating: Promise<unknown>): Promise<boolean> {
  try {
    await creating;
    return true;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.reason === "AlreadyExists") return true; // another server has created it
    if (error.reason === "NotFound" || error.reason === "Forbidden") return false; // the namespace is missing or is being deleted
    throw error;
  }
}
