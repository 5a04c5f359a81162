/**
 * The steps of a request, from top to bottom. Requests from the network (`handle.ts`), calls from inside the process
 * (`server/background/local-call.ts`) and requests of the heavy thread (`server/heavy/worker.ts`) differ in what their `Entry` hands in.
 */
import type { AuthorizationDecision } from "../../core/access.ts";
import type { UserInfo } from "../../core/user-info.ts";
import type { AuditNotes } from "../../core/audit/notes.ts";
import type { Exchange } from "../request/exchange.ts";

/** The parts of the steps that depend on where a request comes from. */
export interface Entry<Answer> {
  authenticate(): UserInfo | Promise<UserInfo>;
  /** Begins the record for the audit; undefined if the request is not recorded. */
  record(user: UserInfo): RequestRecord<Answer> | undefined;
  /** The user that the request acts as, and the exchange without the headers that say so. */
  impersonate(user: UserInfo, record: RequestRecord<Answer> | undefined): Acting | Promise<Acting>;
  /** Takes a place among the running requests. Returns a promise only if the request has to wait. */
  limit(acting: Acting): void | Promise<void>;
  authorize(user: UserInfo, decided: RequestRecord<Answer>["decided"] | undefined): void | Promise<void>;
  /** Carries the request out, and makes its answer. Requests for resources go through `dispatch`. */
  answer(acting: Acting, notes: AuditNotes | undefined): Promise<Answer>;
  /** The only place where an error becomes an answer. Rejects where the caller gets errors as such. */
  refuse(error: unknown, record: RequestRecord<Answer> | undefined): Answer | Promise<Answer>;
}

/** The part of an `AuditRecord` that the steps use. */
export interface RequestRecord<Answer> {
  readonly notes: AuditNotes;
  received(): void | Promise<void>;
  readonly decided: (decision: AuthorizationDecision) => void;
  end(answer: Answer): Answer | Promise<Answer>;
}

export interface Acting {
  readonly user: UserInfo;
  readonly exchange: Exchange;
}

/** Runs the steps of a request. */
export async function run<Answer>(entry: Entry<Answer>): Promise<Answer> {
  let record: RequestRecord<Answer> | undefined;
  try {
    const user = await entry.authenticate();
    record = entry.record(user);
    if (record !== undefined) await record.received();
    const acting = await entry.impersonate(user, record);
    const waiting = entry.limit(acting);
    if (waiting !== undefined) await waiting;
    await entry.authorize(acting.user, record?.decided);
    const answer = await entry.answer(acting, record?.notes);
    return record === undefined ? answer : await record.end(answer);
  } catch (error) {
    return await entry.refuse(error, record);
  }
}
