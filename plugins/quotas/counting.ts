/** How quotas count the objects of a resource. */
import type { ApiObject } from "../../plugin.ts";
import type { Gates, Names } from "../../toolbox.ts";
import type { Amounts } from "./amounts.ts";
import type { ScopeRequirement } from "./quota-schema.ts";

/** Returns the objects of a collection; empty if it is not served. */
export type ReadCollection = (groupVersion: string, resource: string, namespace: string) => Promise<readonly ApiObject[]>;

/** How the objects of one resource are counted. */
export interface Usage {
  /**
   * Returns how the objects of a namespace are counted now, which depends on other objects. Default: always in the same way. `added`: an object that may
   * not be stored yet.
   */
  prepare?(read: ReadCollection, namespace: string, added?: ApiObject): Promise<Usage>;
  /** Returns the entries of `names` that concern this resource. */
  matching(names: readonly string[]): readonly string[];
  /** Whether a write of this kind may raise the usage. */
  charges(isCreate: boolean, subresource: string, next?: ApiObject, prior?: ApiObject): boolean;
  of(object: ApiObject): Amounts;
  /** Why the object cannot be counted: it leaves out what the names require. Default: every object can be counted. */
  missing?(object: ApiObject, names: readonly string[]): string | undefined;
  /** Whether the object is in the scope. */
  isIn(scope: ScopeRequirement, object: ApiObject): boolean;
  /** Whether the number of objects is the whole usage. */
  readonly isCount: boolean;
}

export interface UsageSettings {
  readonly names: Names;
  readonly gates: Gates;
  /** The time in seconds since 1970, by which an object whose time to end is over is not counted. */
  readonly seconds: () => number;
}

/** Returns the resource name of the number of objects, such as `count/leases.coordination.k8s.io`. */
export function countName(group: string, plural: string): string {
  return `count/${plural}${group === "" ? "" : `.${group}`}`;
}
