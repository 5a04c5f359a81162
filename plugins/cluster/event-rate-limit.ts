/**
 * The admission step EventRateLimit: bounds the rate of events of the server, of a namespace, of a user, and of a source with its object. Each
 * server counts for itself, as in upstream.
 */
import {
  type Admission,
  field,
  type FieldError,
  type Infer,
  int32,
  invalid,
  list,
  notSupported,
  StatusError,
  string,
  struct,
} from "../../plugin.ts";
import type { RequestHookContext } from "../../plugin.ts";
import type { StepConfiguration } from "../../toolbox.ts";
import { bound } from "../../core/bound.ts";
import type { CoreEvent } from "./event-schema.ts";
import { events } from "./event.ts";

/** Buckets of one limit that are kept if its `cacheSize` is 0. */
export const eventBucketsMax = bound(4_096);

const home = { package: "" };

const Limit = struct("EventRateLimit", {
  type: field(0, string, "What is counted together: Server, Namespace, User or SourceAndObject.", { written: "always" }),
  qps: field(0, int32, "Events per second.", { written: "always" }),
  burst: field(0, int32, "Events that may come at once.", { written: "always" }),
  cacheSize: field(0, int32, "Buckets that are kept, the ones used last. Default: 4096. A server has one."),
}, { ...home, doc: "A limit of the rate of events." });
type Limit = Infer<typeof Limit>;

const Configuration = struct("Configuration", {
  limits: field(0, list(Limit), "The limits. An event must keep to each.", { written: "always" }),
}, { ...home, doc: "The configuration of EventRateLimit." });
type Configuration = Infer<typeof Configuration>;

/** The key of an event's bucket, by the type of the limit. */
const keys: Readonly<Record<string, (event: CoreEvent, context: RequestHookContext) => string>> = {
  Server: () => "",
  Namespace: (_event, { request }) => request.namespace,
  User: (_event, { caller }) => caller.name,
  SourceAndObject: ({ source = {}, involvedObject: { kind, namespace, name, uid, apiVersion } }) =>
    [source.component, source.host, kind, namespace, name, uid, apiVersion].join(""),
};

function validate({ limits }: Configuration): readonly FieldError[] {
  if ((limits ?? []).length === 0) return [invalid("limits", limits ?? [], "must not be empty")];
  return limits.flatMap(({ type, qps, burst, cacheSize = 0 }, i) => [
    ...(Object.hasOwn(keys, type) ? [] : [notSupported(`limits[${i}].type`, type, Object.keys(keys))]),
    ...(burst > 0 ? [] : [invalid(`limits[${i}].burst`, burst, "must be positive")]),
    ...(qps > 0 ? [] : [invalid(`limits[${i}].qps`, qps, "must be positive")]),
    ...(type === "Server" || cacheSize >= 0 ? [] : [invalid(`limits[${i}].cacheSize`, cacheSize, "must not be negative")]),
  ]);
}

const configuration: StepConfiguration<Configuration> = {
  kind: "Configuration",
  group: "eventratelimit.admission.{domain}",
  versions: ["v1alpha1"],
  schema: Configuration,
  validate,
  isRequired: true,
};

/** The buckets of one limit. The bucket that was used longest ago gives way to a new one, which is full. */
export class Buckets {
  readonly #limit: Limit;
  readonly #now: () => number;
  /** By key: what is left, at a time in milliseconds. In the order of use. */
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** `now` returns milliseconds. */
  constructor(limit: Limit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Takes one event from the bucket of the key. Returns false if it is empty. */
  take(key: string): boolean {
    const { qps, burst, cacheSize } = this.#limit, now = this.#now();
    const { left, at } = this.#buckets.get(key) ?? { left: burst, at: now };
    const filled = Math.min(burst, left + (now - at) * qps / 1_000), fits = filled >= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, { left: fits ? filled - 1 : filled, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > (cacheSize || eventBucketsMax) && oldest !== undefined) this.#buckets.delete(oldest);
    return fits;
  }
}

export const eventRateLimit: Admission<CoreEvent> = {
  name: "EventRateLimit",
  isOptional: true,
  resources: [events],
  configuration,
  refuse(next, _prior, context) {
    const settings = context.configuration("EventRateLimit") as Configuration | undefined;
    // As in upstream, requests of the group `events` are not limited.
    if (settings === undefined || context.requestVersion !== "v1" || context.isDryRun) return undefined;
    const { server } = context, bucketsOf = (limit: Limit) => new Buckets(limit, server.clock.elapsed);
    const limits = server.stateOf(settings, () => settings.limits.map((limit) => ({ limit, buckets: bucketsOf(limit) })));
    const full = limits.flatMap(({ limit: { type }, buckets }) => {
      const key = keys[type]!(next, context); // validated
      return buckets.take(key) ? [] : [`limit reached on type ${type} for key ${key}`];
    });
    const distinct = [...new Set(full)];
    if (distinct.length === 0) return undefined;
    throw new StatusError("TooManyRequests", `Too many requests: ${distinct.length === 1 ? distinct[0] : `[${distinct.join(", ")}]`}`);
  },
};
