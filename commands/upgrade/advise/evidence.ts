/** What sources of `thole advise` find: objects, and uses of a version. Files, live servers, their stores, releases of Helm and audit logs are sources. */
import type { JsonObject } from "../../../core/json.ts";
import type { GroupVersion } from "../../../core/versions.ts";

/** Where something was found. */
export interface Place {
  /** For people: `deploy/web.yaml`, `release web in default`, `the metrics of the server`. */
  readonly name: string;
  /** The path of a file, if it is one; its lines begin with 1. */
  readonly file?: string;
  readonly line?: number;
}

/** An object, or as much of it as the source has: `apiVersion`, `kind` and `metadata` at least. */
export interface FoundObject {
  readonly tag: "object";
  readonly place: Place;
  readonly object: JsonObject;
  /** The line of a field, for files. */
  lineOf?(path: readonly (string | number)[]): number | undefined;
  /** How to change the place, where that is not by `thole convert` or a new apply: for a rendered chart, or a release. */
  readonly fix?: string;
  /** Whether it is as it is in a store: its version is the stored one. */
  readonly isStored?: boolean;
}

/** Requests for a version. */
export interface FoundUse {
  readonly tag: "use";
  readonly place: Place;
  readonly groupVersion: GroupVersion;
  /** The plural name. */
  readonly resource: string;
  /** User, client program and time of the last request, as far as the source knows them. */
  readonly who?: string;
}

/** Something that a source could not read. */
export interface Unread {
  readonly tag: "unread";
  readonly place: Place;
  readonly reason: string;
}

export type Evidence = FoundObject | FoundUse | Unread;

/** A source yields what it finds. A new kind of source implements this and nothing else. */
export type Source = AsyncIterable<Evidence>;
