/** The port by which verbs add to the audit event of a request. `access/audit` implements it. */
import type { AuditLevel } from "./policy.ts";
import type { Status } from "../status-error.ts";

/** The identity of the object in a request body. An absent field is "". */
export interface NamedObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** The layers of a request whose time audit events have, with upstream's names. */
export type AuditLayer =
  | "apf-queue-wait"
  | "authentication"
  | "authorization"
  | "etcd"
  | "impersonation"
  | "mutating-webhook"
  | "validating-webhook"
  | "serialize-response-object"
  | "response-write";

export interface AuditNotes {
  readonly level: AuditLevel;
  /** Whether recorded objects omit metadata.managedFields. */
  readonly omitsManagedFields: boolean;
  /** The identity in the request body, and the body as JSON text; undefined below the level Request. */
  requestObject(named: NamedObject | undefined, json: string | undefined): void;
  /** The response, if it is a Status. */
  responseStatus(status: Status): void;
  /** The response as JSON text. Only at the level RequestResponse. */
  responseObject(json: string): void;
  /** An annotation by authorization, admission or the server. Further values of the same key are ignored. */
  annotate(key: string, value: string): void;
  /** Milliseconds that a layer has taken. Only requests that last have annotations of them. */
  took(layer: AuditLayer, milliseconds: number): void;
  /** Returns a function that removes what was noted since: the request then runs again in another thread. */
  checkpoint(): () => void;
}

type Call<Name extends "requestObject" | "responseStatus" | "responseObject" | "annotate" | "took"> = Name extends unknown
  ? readonly [name: Name, ...args: Parameters<AuditNotes[Name]>]
  : never;
/** A call of one function of `AuditNotes`, as plain data. */
export type RemoteNote = Call<"requestObject" | "responseStatus" | "responseObject" | "annotate" | "took">;

/** Applies a call received from another thread. */
export function noteRemote(notes: AuditNotes, note: RemoteNote): void {
  switch (note[0]) {
    case "requestObject":
      return notes.requestObject(note[1], note[2]);
    case "responseStatus":
      return notes.responseStatus(note[1]);
    case "responseObject":
      return notes.responseObject(note[1]);
    case "annotate":
      return notes.annotate(note[1], note[2]);
    case "took":
      return notes.took(note[1], note[2]);
  }
}

/** Notes that are posted to the thread that owns the audit event. */
export function remoteNotes(
  { level, omitsManagedFields }: Pick<AuditNotes, "level" | "omitsManagedFields">,
  post: (note: RemoteNote) => void,
): AuditNotes {
  return {
    level,
    omitsManagedFields,
    requestObject: (named, json) => post(["requestObject", named, json]),
    responseStatus: (status) => post(["responseStatus", status]),
    responseObject: (json) => post(["responseObject", json]),
    annotate: (key, value) => post(["annotate", key, value]),
    took: (layer, milliseconds) => post(["took", layer, milliseconds]),
    // In the other thread a request runs once.
    checkpoint: () => () => {},
  };
}
