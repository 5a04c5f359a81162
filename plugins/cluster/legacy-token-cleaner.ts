/**
 * Removes unused legacy tokens. These are the tokens of Secrets that the service account lists; earlier releases created one for each
 * account:
 *
 *     unused for a year ──> labelled invalid (the token is rejected) ──> after another year without use: the Secret is deleted
 *
 * Removing the label makes the token valid again.
 */
import { type ApiObject, type Controller, type ControllerContext, StatusError } from "../../plugin.ts";
import { listed, pause, spell, type StatusReason, valueText } from "../../toolbox.ts";
import { steadyTime } from "../../core/steady-time.ts";
import { type ConfigMap, dayOf, legacyLabels, parseDay, trackingMap } from "./legacy-token-tracking.ts";

const dayMs = 86_400_000;
/**
 * Upstream's defaults: how long a token must be unused (--legacy-service-account-token-clean-up-period), and the time between two checks.
 */
const unusedMs = 365 * dayMs, everyMs = dayMs;

interface Account extends ApiObject {
  readonly secrets?: readonly { readonly name?: string }[];
}

export const legacyTokenCleaner: Controller = {
  name: "legacy-serviceaccount-token-cleaner",
  serviceAccount: "legacy-service-account-token-cleaner",
  fieldManager: "kube-controller-manager",
  needs: ["configmaps", "secrets", "serviceaccounts"].map((resource) => ({ resource, groupVersions: ["v1"] })),
  async run(context, signal) {
    // After a jump of the clock, tokens are judged at least once more by the time before the jump.
    const now = steadyTime({ wall: context.clock.now, elapsed: context.clock.elapsed, doubtMs: 1.5 * everyMs });
    while (!signal.aborted) {
      await cleanTokens(context, now()).catch((error) => context.logError("cannot look for unused tokens", error));
      await pause(everyMs, signal, context.clock);
    }
  },
};

/** Checks every Secret once. `now` is in milliseconds since 1970. */
export async function cleanTokens(context: ControllerContext, now: number): Promise<void> {
  const { api, names } = context;
  const map: ConfigMap | undefined = await orNone(api.get("v1", "configmaps", trackingMap.namespace, trackingMap.name), "NotFound");
  const since = parseDay(map?.data?.[trackingMap.key]);
  // The first day of the recording is incomplete, so it does not count.
  if (since === undefined || now < since + dayMs + unusedMs) return;
  const fieldSelector = `type=${spell(names, "{platform}.io/service-account-token")}`;
  for await (const secret of listed(api, "v1", "secrets", "", { fieldSelector })) await clean(context, secret, now);
}

async function clean({ api, names, logError }: ControllerContext, secret: ApiObject, now: number): Promise<void> {
  const { namespace = "", name = "", uid = "", resourceVersion = "", creationTimestamp, labels = {} } = secret.metadata;
  const label = legacyLabels(names), usedSince = dayOf(now - unusedMs);
  if (Date.parse(creationTimestamp ?? "") >= now - unusedMs || (secret.metadata.deletionTimestamp ?? null) !== null) return;
  const lastUsed = Object.hasOwn(labels, label.lastUsed) ? labels[label.lastUsed] : undefined;
  // An invalid label does not contain the day of the last use.
  if (lastUsed !== undefined && (parseDay(lastUsed) === undefined || lastUsed >= usedSince)) return;
  const invalidSince = Object.hasOwn(labels, label.invalidSince) ? labels[label.invalidSince] : undefined;
  try {
    if (!await isListed({ api, names }, secret)) return;
    if (invalidSince === undefined || parseDay(invalidSince) === undefined) {
      const merge = { metadata: { uid, labels: { [label.invalidSince]: dayOf(now) } } };
      await orNone(api.patch("v1", "secrets", namespace, name, { merge }), "NotFound", "Conflict");
    } else if (invalidSince < usedSince) {
      await orNone(api.delete("v1", "secrets", namespace, name, { preconditions: { uid, resourceVersion } }), "NotFound", "Conflict");
    }
  } catch (error) {
    logError(`cannot end the unused token in the Secret ${valueText(`${namespace}/${name}`)}`, error);
  }
}

/** Whether the Secret's account lists it. */
async function isListed({ api, names }: Pick<ControllerContext, "api" | "names">, { metadata }: ApiObject): Promise<boolean> {
  const { namespace = "", name, annotations = {} } = metadata;
  const value = (key: string): string => annotations[spell(names, `{platform}.io/service-account.${key}`)] ?? "";
  const account: Account | undefined = value("name") === ""
    ? undefined
    : await orNone(api.get("v1", "serviceaccounts", namespace, value("name")), "NotFound");
  if (account === undefined || (value("uid") !== "" && value("uid") !== account.metadata.uid)) return false;
  return (account.secrets ?? []).some((secret) => secret.name === name);
}

/** Resolves with undefined if the request fails with one of these reasons, because a retry would not help. */
async function orNone<T>(request: Promise<T>, ...reasons: readonly StatusReason[]): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof StatusError && reasons.includes(error.reason)) return undefined;
    throw error;
  }
}
