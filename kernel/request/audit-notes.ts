/** What verbs report for the audit event of a request. The audit itself is in `access/audit`; verbs only see this port. */
import type { Status } from "../../core/status-error.ts";

/** How much of a request is recorded, in the words of audit policies. Requests at level None have no notes. */
export type AuditLevel = "Metadata" | "Request" | "RequestResponse";

/** What the body of a request says about the object that it is for. "" where it says nothing. */
export interface NamedObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface AuditNotes {
  readonly level: AuditLevel;
  /** Leave out metadata.managedFields of the objects that are recorded. */
  readonly omitsManagedFields: boolean;
  /** The object that the body names, and the body as JSON text; undefined below the level Request. */
  requestObject(named: NamedObject | undefined, json: string | undefined): void;
  /** The Status of the response, where it is one. */
  responseStatus(status: Status): void;
  /** The response as JSON text. Only at the level RequestResponse. */
  responseObject(json: string): void;
  /** A note of authorization, admission or the server. The first value of a key stays. */
  annotate(key: string, value: string): void;
}

type Call<Name extends "requestObject" | "responseStatus" | "responseObject" | "annotate"> = Name extends unknown
  ? readonly [name: Name, ...args: Parameters<AuditNotes[Name]>]
  : never;
/** A call of one function of `AuditNotes`, as plain data. */
export type RemoteNote = Call<"requestObject" | "responseStatus" | "responseObject" | "annotate">;

/** Makes a call that came from another thread. */
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
  }
}

/** Notes that are sent to the thread that has the event. */
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
  };
}
