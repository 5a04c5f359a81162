/** Builders of quotas and objects for the tests of the family. */
import type { ApiObject } from "../../plugin.ts";
import type { Amounts } from "./amounts.ts";
import type { ResourceQuota } from "./quota-schema.ts";

/** A quota in the namespace `shop` with these limits in force. */
export function quotaOf(name: string, hard: Amounts, used: Amounts | undefined, more: object = {}): ResourceQuota {
  return {
    kind: "ResourceQuota",
    apiVersion: "v1",
    metadata: { name, namespace: "shop", resourceVersion: "1" },
    spec: { hard, ...more },
    status: used === undefined ? {} : { hard, used },
  } as ResourceQuota;
}

export function objectOf(name: string, more: object = {}): ApiObject {
  return { metadata: { name, namespace: "shop" }, ...more } as ApiObject;
}
