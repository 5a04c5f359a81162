/** Whether the service of an APIService can be used: it is there, has an endpoint, and answers for the group version. */
import type { ControllerContext } from "../../plugin.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { HeaderFields } from "../../toolbox.ts";
import { identityHeaders } from "./identity.ts";
import { accessOf, isReady, originOf, serviceOf, slicesOf, type Target, targetOf } from "./resolve.ts";
import type { APIService } from "./schema.ts";

/** Milliseconds for which a service may take to answer, and requests that are sent at once: one success is enough. */
const answerMs = 5_000, attempts = 5;
/** The parts of a context that a check uses. */
export type FindingContext = Pick<ControllerContext, "api" | "names" | "peers" | "setting">;

/** What a check has found. */
export interface Finding {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}
const passed: Finding = Object.freeze({ status: "True", reason: "Passed", message: "all checks passed" });

/** Finds out what is true of the service now. Resolves when one request has succeeded, or all have failed. */
export async function findingOf(world: FindingContext, apiService: APIService, signal: AbortSignal): Promise<Finding> {
  const target = targetOf(apiService)!, place = `service/${target.name} in "${target.namespace}"`; // the caller has checked it
  const { api } = world;
  let service: Awaited<ReturnType<typeof serviceOf>>;
  try {
    service = await serviceOf(api, target);
  } catch (error) {
    return { status: "Unknown", reason: "ServiceAccessError", message: `${place} cannot be checked due to: ${reasonOf(error)}` };
  }
  if (service === undefined) return { status: "False", reason: "ServiceNotFound", message: `${place} is not present` };
  if ((service.spec.type ?? "ClusterIP") === "ClusterIP") {
    const port = service.spec.ports?.find((each) => each.port === target.port);
    if (port === undefined) {
      return { status: "False", reason: "ServicePortError", message: `${place} is not listening on port ${target.port}` };
    }
    const wrong = await endpointsFinding(world, target, port.name ?? "", place);
    if (wrong !== undefined) return wrong;
  }
  return await answerFinding(world, apiService, target, signal);
}

/** Why no endpoint can be used; undefined if one can. */
async function endpointsFinding(
  { api, names }: FindingContext,
  target: Target,
  port: string,
  place: string,
): Promise<Finding | undefined> {
  try {
    const slices = await slicesOf(api, names, target);
    if (slices.length === 0) {
      return { status: "False", reason: "EndpointsNotFound", message: `cannot find endpointslices for ${place}` };
    }
    const isUsable = slices.some(({ endpoints, ports }) =>
      (endpoints ?? []).some(isReady) && (ports ?? []).some((each) => (each.name ?? "") === port && each.port !== undefined)
    );
    if (isUsable) return undefined;
    return {
      status: "False",
      reason: "MissingEndpoints",
      message: `endpointslices for ${place} have no addresses with port name "${port}"`,
    };
  } catch (error) {
    return { status: "Unknown", reason: "EndpointsAccessError", message: `${place} cannot be checked due to: ${reasonOf(error)}` };
  }
}

/** Whether the service answers for its group version. */
async function answerFinding(world: FindingContext, apiService: APIService, target: Target, signal: AbortSignal): Promise<Finding> {
  const { group = "", version = "" } = apiService.spec;
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const done = new AbortController(), until = AbortSignal.any([signal, done.signal, AbortSignal.timeout(answerMs)]);
  try {
    await Promise.any(Array.from({ length: attempts }, () => ask(world, apiService, target, path, until)));
    return passed;
  } catch (error) {
    const reasons = error instanceof AggregateError ? error.errors : [error];
    return { status: "False", reason: "FailedDiscoveryCheck", message: reasonOf(reasons.at(-1)) };
  } finally {
    done.abort();
  }
}

const headers: HeaderFields = Object.freeze({
  ...identityHeaders({ name: "system:kube-aggregator", groups: ["system:masters"] }, false),
  "user-agent": "kube-apiserver",
});

/** Rejects with the reason in upstream's words unless the service answers with 2xx. */
async function ask({ api, names, peers, setting }: FindingContext, of: APIService, target: Target, path: string, signal: AbortSignal) {
  const origin = await originOf(api, names, target, setting), url = `${origin}${path}`;
  const failing = (why: string) => new Error(`failing or missing response from ${url}: ${why}`);
  let status: number;
  try {
    const reply = await peers.ask({ method: "GET", url, headers, access: accessOf(of, target, setting), signal });
    await reply.body[Symbol.asyncIterator]().return?.();
    ({ status } = reply);
  } catch (error) {
    const isLate = signal.aborted && signal.reason instanceof DOMException && signal.reason.name === "TimeoutError";
    throw failing(isLate ? `Get "${url}": context deadline exceeded` : `Get "${url}": ${reasonOf(error)}`);
  }
  if (status < 200 || status >= 300) throw failing(`bad status from ${url}: ${status}`);
}
