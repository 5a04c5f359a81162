/**
 * What the server offers to kinds whose objects share something, such as addresses and ports: the API in process, records in the store, and
 * settings.
 */
import type { Api } from "./api.ts";
import type { JsonObject } from "./json.ts";
import type { SettingOf } from "./setting.ts";

/** A record with the revision of its last write. */
export interface FoundRecord {
  /** The place of the record below the store's prefix, such as `ranges/servicenodeports`. */
  readonly path: string;
  /** The value; undefined if it is not JSON. */
  readonly value: JsonObject | undefined;
  /** The revision, for the next write. */
  readonly revision: number;
}

/** Values in the store that are no objects. Clients do not see them. Servers that share a store share them. */
export interface Records {
  /** Resolves with the newest state of a record; undefined if there is none. */
  get(path: string): Promise<FoundRecord | undefined>;
  /** Resolves with the newest states of all records whose path begins with `prefix`. */
  list(prefix: string): Promise<readonly FoundRecord[]>;
  /**
   * Writes a record if its revision is `expect`, which is undefined for a new one; `value` undefined deletes it. Resolves with false if
   * another writer came first. The store deletes the record after `ttlSeconds`, if given.
   */
  put(path: string, value: JsonObject | undefined, expect: number | undefined, ttlSeconds?: number): Promise<boolean>;
}

/** Records and settings, for controllers, start hooks and kinds that allocate. */
export interface Shared {
  /** Reads the settings in force. */
  readonly setting: SettingOf;
  /** Values in the store that are no objects. */
  readonly records: Records;
}

/** What `allocate` and `release` of a kind use besides the object. */
export interface Allocation extends Shared {
  /** The API in process, as a member of `system:masters` with the field manager `kube-apiserver`. Its calls do not end with the request. */
  readonly api: Api;
}
