/** The messages between the main thread and the heavy thread. Bytes are transferred as separate buffers. */
import type { RemoteRecording } from "../../metrics/mod.ts";
import type { Access, WebhookCall, WebhookOutcome } from "../../core/access.ts";
import type { Attributes } from "../../kernel/cache/index/attributes.ts";
import type { RuleOutcome } from "../../kernel/observe/meter.ts";
import type { Appeared } from "../config/active-config.ts";
import type { AdmissionConfiguration } from "../config/admission-configuration.ts";
import type { Config } from "../config/settings.ts";
import type { Commit, Entry, Listing, Page, Range, Revision } from "../../kernel/store/store.ts";
import type { DocumentWork } from "../aggregation/made-documents.ts";
import type { PlainError } from "./errors.ts";
import type { RemoteNote } from "../../core/audit/notes.ts";
import type { HeavyJob, HeavyRequest } from "../../kernel/request/hand-over.ts";

export type ToHeavy =
  | { readonly tag: "open"; readonly config: Config; readonly appeared: Appeared; readonly admission: AdmissionConfiguration }
  /** All descriptions, for the jobs that come after it. */
  | { readonly tag: "appeared"; readonly appeared: Appeared }
  /** One at a time, beside those that wait for webhooks. */
  | { readonly tag: "job"; readonly id: number; readonly job: HeavyJob; readonly request: HeavyRequest; readonly milliseconds: number }
  /** As a job: one at a time. */
  | { readonly tag: "document"; readonly id: number; readonly work: DocumentWork }
  | { readonly tag: "abort"; readonly job: number; readonly reason: PlainError }
  | { readonly tag: "answered"; readonly job: number; readonly id: number; readonly answer: Settled };

/** Messages of the heavy thread to the main thread. `job` is the id of the job that a message is about. */
export type FromHeavy = { readonly tag: "opened" } | JobMessage & { readonly job: number };

/** A message about a job. */
export type JobMessage =
  | { readonly tag: "question"; readonly id: number; readonly question: Question }
  | { readonly tag: "warning"; readonly text: string }
  | { readonly tag: "step"; readonly what: string }
  | { readonly tag: "admitted"; readonly step: AdmittedStep }
  | { readonly tag: "ruled"; readonly outcome: RuleOutcome }
  /** A recording of a plugin's metric. */
  | { readonly tag: "recorded"; readonly recording: RemoteRecording }
  | { readonly tag: "audited"; readonly note: RemoteNote }
  | { readonly tag: "report"; readonly error: PlainError; readonly reference: string }
  /** `heapBytes`: size of the thread's heap after a garbage collection. */
  | { readonly tag: "done"; readonly outcome: Settled; readonly heapBytes: number };

export type AdmittedStep = readonly [
  name: string | undefined,
  type: "admit" | "validate",
  operation: string,
  rejected: boolean,
  milliseconds: number,
];

/** Requests of the heavy thread to the main thread, which has the store. */
export type Question =
  | { readonly op: "get"; readonly key: string }
  | { readonly op: "list"; readonly range: Range; readonly page: Omit<Page, "signal"> }
  | {
    readonly op: "commit";
    readonly key: string;
    readonly expect: Revision | "absent";
    readonly value: Uint8Array | undefined;
    readonly ttlSeconds: number | undefined;
    readonly frees: boolean;
    /** The object's attributes in the cache; undefined if the main thread must derive them from the bytes. */
    readonly attributes: Attributes | undefined;
  }
  | { readonly op: "authorize"; readonly verb: string }
  | { readonly op: "webhook"; readonly call: WebhookCall }
  | AccessQuestion;

/** A call of one function of `Access` with its arguments, which are plain data. */
export type AccessQuestion = {
  [Name in keyof Access]: { readonly op: "access"; readonly name: Name; readonly args: Parameters<Access[Name]> };
}[keyof Access];

export interface Answers {
  readonly get: { readonly entry: Entry | undefined; readonly revision: Revision };
  readonly list: Listing;
  readonly commit: Commit;
  readonly authorize: undefined;
  readonly webhook: WebhookOutcome;
  readonly access: Awaited<ReturnType<Access[keyof Access]>>;
}

export type Settled = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: PlainError };
