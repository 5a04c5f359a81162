/** The admission steps of the quotas family. Their names are those of upstream's admission plugins. */
import type { Admission, ApiObject, RequestHookContext } from "../../plugin.ts";
import { internalError, secondsOf } from "../../toolbox.ts";
import type { ReadCollection } from "./counting.ts";
import { Ledger } from "./ledger.ts";
import { configuration, limitedIn, type LimitedResource } from "./limited-resources.ts";
import { limitRanger } from "./limit-ranger.ts";
import { usageOf } from "./usage.ts";
import { admissionCallMs } from "../../core/access.ts";

const name = "ResourceQuota";

const resourceQuota: Admission = {
  name,
  resources: "all",
  configuration,
  async refuse(next, prior, context) {
    const { namespace = "" } = next.metadata, { server } = context;
    if (namespace === "") return undefined;
    const quotas = await server.recent("v1", "resourcequotas", namespace), limited = limitedIn(context.configuration(name));
    return quotas.length === 0 && limited.length === 0 ? undefined : await chargeRequest(next, prior, limited, context);
  },
};

async function chargeRequest(
  next: ApiObject,
  prior: ApiObject | undefined,
  resources: readonly LimitedResource[],
  context: RequestHookContext,
): Promise<string | undefined> {
  const { resource: { group, plural }, subresource, isDryRun, server } = context;
  const { names, gates, now } = context;
  const known = usageOf(group, plural, { names, gates, seconds: () => secondsOf(now) });
  if (known === undefined || !known.charges(prior === undefined, subresource, next, prior)) return undefined;
  const read: ReadCollection = async (groupVersion, resource, within) => await server.recent(groupVersion, resource, within);
  const usage = await known.prepare?.(read, next.metadata.namespace ?? "", next) ?? known;
  const ledger = server.stateOf(resourceQuota, () => new Ledger());
  const timer = Promise.withResolvers<never>();
  const timeout = setTimeout(() => timer.reject(internalError("resource quota evaluation timed out")), admissionCallMs);
  try {
    const charge = { usage, next, prior, subresource, limits: { group, plural, resources } };
    const namespace = next.metadata.namespace ?? "";
    const verdict = await Promise.race([ledger.charge(namespace, charge, isDryRun, server), timer.promise]);
    if (typeof verdict === "object") throw verdict;
    if (verdict === undefined && !isDryRun) context.ifNotStored(() => ledger.release(namespace, charge, server));
    return verdict;
  } finally {
    clearTimeout(timeout);
  }
}

export const quotasAdmission: readonly Admission[] = Object.freeze([limitRanger, resourceQuota]);
