/** Requests that are too expensive for the thread that serves all connections. */
import type { RemoteRecording } from "../../metrics/mod.ts";
import type { Access } from "../../core/access.ts";
import { MovedWork } from "../../core/budget.ts";
import type { AuditNotes, RemoteNote } from "../../core/audit/notes.ts";
import type { UserInfo } from "../../core/user-info.ts";

/** Thrown where a verb finds that its request is too expensive for this thread. `dispatch` catches it and runs the whole request in the heavy thread. */
export class HandOver extends MovedWork {
  readonly tag = "hand-over";
}

/**
 * The route of one request to the heavy thread. A request that is handed over is run from its beginning, so it must not have changed anything:
 *
 *   open ──changes──> closed      an object, a quota, or something outside of the server may have changed
 *     ^──isUndone──────┘          the store did not accept the change
 *
 * A step that may hand over checks this each time, also when the request is cheap: a wrong order of steps then fails every test of them.
 */
export class HeavyRoute {
  readonly work: HeavyWork;
  #changed: string | undefined;

  constructor(work: HeavyWork) {
    this.work = work;
  }
  /** Records what the request is about to change. It then stays in this thread. */
  changes(what: string): void {
    this.#changed = what;
  }
  /** The last change was not made, or was undone. */
  isUndone(): void {
    this.#changed = undefined;
  }
  /** Throws an error for a request that has changed something. */
  check(): void {
    if (this.#changed === undefined) return;
    throw new Error(`A request that has changed ${this.#changed} cannot be handed over to another thread: it would change it again`);
  }
}

/** What the heavy thread needs of a request. */
export interface HeavyRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly remote: string;
  readonly protocol: "HTTP/1.1" | "HTTP/2.0" | "HTTP/1.0";
  readonly user: UserInfo;
  readonly body: Uint8Array;
  /** Undefined if the request is not audited. */
  readonly audit?: Pick<AuditNotes, "level" | "omitsManagedFields"> | undefined;
}

/** `answer`: the reply to the request. `deleteOptions`: its body and query as a DeleteRequest; the deletion itself runs elsewhere. */
export type HeavyJob = "answer" | "deleteOptions";

/** A reply as plain data. */
export interface HeavyReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly chunks: readonly Uint8Array[];
  /** Whether the body is sent in chunks, without a content-length. */
  readonly streamed: boolean;
}

/** Callbacks of a job to the main thread. */
export interface HeavyHost {
  warn(text: string): void;
  step(what: string): void;
  readonly access: Access;
  /** Rejects with a StatusError unless the user is authorized for `verb` on the object of the request. */
  authorize(verb: string): Promise<void>;
  /** Records the duration of an admission step. */
  admitted(name: string | undefined, type: "admit" | "validate", operation: string, rejected: boolean, milliseconds: number): void;
  /** Records what the rules in the tree of a kind did. */
  ruled(outcome: "mismatch" | "panic"): void;
  /** Records a value of a plugin's metric. */
  recorded(recording: RemoteRecording): void;
  /** Adds a note to the audit event. */
  audited(note: RemoteNote): void;
  report(error: unknown, reference: string): void;
}

/** The port to the heavy thread. */
export interface HeavyWork {
  /** Rejects with the signal's reason on abort, and with a StatusError if the job fails with one. */
  run<Job extends HeavyJob>(job: Job, request: HeavyRequest, host: HeavyHost, signal: AbortSignal): Promise<HeavyOutcome[Job]>;
}
export interface HeavyOutcome {
  readonly answer: HeavyReply;
  /** A DeleteRequest. */
  readonly deleteOptions: object;
}
