/** Decides when a request from the network runs: by the flow control of a plugin, or by the numbers of requests in flight. */
import type { Api } from "../../core/api.ts";
import type { FlowControl, FlowControlContext, FlowRequest } from "../../core/flow-control.ts";
import type { UserInfo } from "../../core/user-info.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import { placeOf } from "../../kernel/conversion/converted-kinds.ts";
import { allowedMs } from "../../kernel/request/deadline.ts";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { isLasting, type RequestInfo } from "../../kernel/request/request-info.ts";
import type { Server } from "../../kernel/server.ts";
import type { Store } from "../../kernel/store/store.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { bound } from "../../core/bound.ts";
import { inflightLimit } from "./inflight.ts";

/** Milliseconds that a count of objects waits for the store. */
const countMs = bound(2_000);

export interface RequestLimits {
  readonly admit: Server["admit"];
  /** The text of the flow control at a path below `/debug/`; undefined if there is none. */
  readonly debugText: NonNullable<FlowControl["debugText"]>;
  /** Starts the flow control. Until then the numbers of requests in flight are limited. */
  readonly open: (context: FlowControlContext) => void;
}

export function requestLimits(
  { current }: Pick<ConfigInForce, "current">,
  { record: { inflight: gauge } }: Pick<KernelRegistry, "record">,
): RequestLimits {
  const inflight = inflightLimit(
    () => {
      const { config } = current();
      return { readOnly: config["max-requests-inflight"], mutating: config["max-mutating-requests-inflight"] };
    },
    ({ readOnly, mutating }) => {
      gauge.with(readOnlyRequests).set(readOnly);
      gauge.with(mutatingRequests).set(mutating);
    },
  );
  let control: FlowControl | undefined;
  return {
    admit(exchange, info, user) {
      // Requests that last other than watches, such as exec, have no limit and name no schema.
      if (control === undefined || (isLasting(info) && info.verb !== "watch")) return inflight(info);
      const place = control.enter(new Asked(exchange, info, user, current().config["request-timeout"]));
      return place instanceof Promise ? place.then((own) => inflight(info, own)) : inflight(info, place);
    },
    debugText: (path, query) => control?.debugText?.(path, query),
    open(context) {
      const { config, catalog } = current();
      if (!config["enable-priority-and-fairness"]) return;
      control = catalog.plugins.find(({ flowControl }) => flowControl !== undefined)?.flowControl?.open(context);
    },
  };
}

/** A request as a flow control reads it. Getters, because few requests wait. */
class Asked implements FlowRequest {
  readonly user: UserInfo;
  readonly attributes: RequestInfo;
  readonly #exchange: Exchange;
  readonly #timeoutMs: number;

  constructor(exchange: Exchange, info: RequestInfo, user: UserInfo, timeoutMs: number) {
    this.user = user;
    this.attributes = info;
    this.#exchange = exchange;
    this.#timeoutMs = timeoutMs;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
  get allowedMs(): number {
    return allowedMs(this.attributes, this.#timeoutMs);
  }
}

/** What the context of a flow control is made of. */
export interface FlowNeeds extends Pick<FlowControlContext, "setting" | "metric" | "logError" | "signal"> {
  readonly api: Api;
  readonly current: ConfigInForce["current"];
  /** Without the measuring wrapper. */
  readonly store: Store;
}

export function flowControlContext({ api, current, store, ...rest }: FlowNeeds): FlowControlContext {
  return {
    ...rest,
    api,
    names: current().catalog.names,
    async countObjects(group, resource) {
      const { catalog, config } = current();
      const kind = catalog.stored.find((each) => each.group === group && each.plural === resource);
      if (kind === undefined) return undefined;
      const signal = AbortSignal.timeout(countMs);
      // A list of one entry has the total count.
      return await store.list({ prefix: `${config["etcd-prefix"]}/${placeOf(kind)}/` }, { limit: 1, signal })
        .then((listing) => listing.count, () => undefined);
    },
  };
}

/** The state of the flow control, for those who may read the path. */
export function flowReply({ path, query }: RequestInfo, { debugText }: RequestLimits): Reply | undefined {
  if (!path.startsWith("/debug/")) return undefined;
  const text = debugText(path, query);
  return text === undefined ? undefined : { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: text };
}

const readOnlyRequests = Object.freeze({ request_kind: "readOnly" });
const mutatingRequests = Object.freeze({ request_kind: "mutating" });
