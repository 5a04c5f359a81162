/** Metrics and log lines of requests, from arrival to the last byte. */
import type { AuthorizationDecision, Waiting } from "../../core/access.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { type ChunkIterator, type Chunks, type Exchange, header, type Reply } from "../request/exchange.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { RequestRecord } from "./metrics.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { recordRequest, type RequestLabels, requestLabels } from "./request-metrics.ts";
import type { Finished, Step } from "./request-log.ts";
import type { Tracing } from "./tracing.ts";

const utf8 = new TextEncoder();

/** Observations of requests under the active catalog. `now` is in milliseconds and monotonic. */
export function observer(
  record: RequestRecord,
  now: () => number,
  report: (finished: Finished) => void,
  tracing?: Tracing,
): (exchange: Exchange, info: RequestInfo, catalog: Catalog, auditId: string) => Observation {
  return (exchange, info, catalog, auditId) => {
    const begun = now();
    const labels = requestLabels(exchange.method, info, header(exchange, "content-type"), catalog);
    const steps: Step[] = [];
    const { verb } = labels, lasting = verb === "WATCH" || verb === "CONNECT";
    let known: UserInfo | undefined, actor: UserInfo | undefined;
    let held: Disposable | undefined;
    let endSpan: ((finished: Finished) => void) | undefined;
    return {
      user(user) {
        known = user;
        endSpan = tracing?.begin({ exchange, info, user, auditId, begun });
        const at = now();
        steps.push({ what: "authenticated", at });
        recordAuthenticated(record, user, (at - begun) / 1000);
      },
      impersonates(user) {
        actor = user;
      },
      step: (what) => void steps.push({ what, at: now() }),
      holds(place) {
        held = place;
      },
      end(reply) {
        const { body, status: code } = reply;
        if (code === 429 || code === 504) record.terminations.with({ ...labels, code: String(code) }).add();
        const finish = (bytes: number) => {
          held?.[Symbol.dispose]();
          const ended = now();
          recordRequest(record, labels, { code, seconds: (ended - begun) / 1000, bytes });
          const finished = {
            exchange,
            verb,
            auditId,
            user: known?.name,
            ...(actor === undefined ? {} : { impersonated: actor.name }),
            code,
            bytes,
            begun,
            ended,
            lasting,
            steps,
          };
          report(finished);
          endSpan?.(finished);
        };
        if (typeof body === "string") finish(utf8.encode(body).length);
        else if (body instanceof Uint8Array) finish(body.length);
        else return { ...reply, body: follow(body, record, labels, finish) };
        return reply;
      },
    };
  };
}

function recordAuthenticated(record: RequestRecord, user: UserInfo, seconds: number): void {
  record.authenticationSeconds.with(succeeded).observe(seconds);
  record.filterSeconds.with(authentication).observe(seconds);
  record.userRequests.with(userLabels(user)).add();
}

/** The user label: well-known names are kept; other names are replaced. */
function userLabels({ name }: UserInfo): { readonly username: string } {
  return knownUsers.get(name) ?? (name.includes("@") ? someAddress : someUser);
}
const knownUsers: ReadonlyMap<string, { readonly username: string }> = new Map(
  ["admin", "client", "kube_proxy", "kubelet", "system:serviceaccount:kube-system:default"].map((username) =>
    [username, Object.freeze({ username })] as const
  ),
);
const someAddress = Object.freeze({ username: "email_id" }), someUser = Object.freeze({ username: "other" });
const succeeded = Object.freeze({ result: "success" }), allowed = Object.freeze({ result: "allowed" });
const authentication = Object.freeze({ filter: "authentication" }), authorization = Object.freeze({ filter: "authorization" });

/** The same chunks; `finish` is called once with the number of bytes sent: at the end, at a failure, or when the reader stops. */
function follow(
  body: Chunks,
  record: RequestRecord,
  labels: RequestLabels,
  finish: (bytes: number) => void,
): Chunks {
  return {
    [Symbol.asyncIterator](): ChunkIterator {
      const chunks = body[Symbol.asyncIterator]();
      const open = labels.verb === "WATCH" || labels.verb === "CONNECT" ? record.longrunning.with(labels) : undefined;
      open?.add(1);
      let bytes = 0, done = false;
      const end = () => {
        if (done) return;
        done = true;
        open?.add(-1);
        finish(bytes);
      };
      // Not async functions: they would create another promise for every chunk.
      const took = <T extends IteratorResult<Uint8Array> | undefined>(next: T): T => {
        if (next?.done === true) end();
        else if (next !== undefined) bytes += next.value.length;
        return next;
      };
      const failed = (error: unknown): never => {
        if (!done) record.aborts.with(labels).add();
        end();
        throw error;
      };
      return {
        next: () => chunks.next().then(took, failed),
        ...chunks.poll === undefined ? {} : {
          poll(ready) {
            try {
              return took(chunks.poll!(ready));
            } catch (error) {
              return failed(error);
            }
          },
        },
        ...chunks.fallBehind === undefined ? {} : { fallBehind: () => chunks.fallBehind!() },
        async return() {
          end();
          await chunks.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** A decision or a failed one, as upstream's metrics count it. */
type AuthorizationResult = "allowed" | "denied" | "no-opinion" | "error";

type DecideRequest = (user: UserInfo, info: RequestInfo, waiting?: Waiting) => AuthorizationDecision | Promise<AuthorizationDecision>;

/** Counts and times `decide`. Synchronous if `decide` is. */
export function measuredDecision(
  decide: DecideRequest,
  record: RequestRecord,
  now: () => number,
): DecideRequest {
  const report = (result: AuthorizationResult, begun: number) => {
    const labels = result === "allowed" ? allowed : { result };
    record.authorizations.with(labels).add();
    const seconds = (now() - begun) / 1000;
    record.authorizationSeconds.with(labels).observe(seconds);
    record.filterSeconds.with(authorization).observe(seconds);
  };
  return async (user, info, waiting) => {
    const begun = now();
    try {
      const decision = await decide(user, info, waiting);
      report(resultOf(decision), begun);
      return decision;
    } catch (error) {
      report("error", begun);
      throw error;
    }
  };
}

function resultOf({ verdict, error }: AuthorizationDecision): AuthorizationResult {
  if (verdict === "allow") return "allowed";
  if (error !== undefined) return "error";
  return verdict === "deny" ? "denied" : "no-opinion";
}

/** Observation of one request for metrics and logs, from its first step to its last byte. */
export interface Observation {
  user(user: UserInfo): void;
  /** The authenticated user acts as another one. */
  impersonates(actor: UserInfo): void;
  /** A step of the request is complete; for the trace of a slow request. */
  readonly step: (what: string) => void;
  /** Registers a resource that is released with the last byte. */
  holds(place: Disposable): void;
  /** Observes the reply as it is sent; a streamed body is observed to its end. */
  end(reply: Reply): Reply;
}
