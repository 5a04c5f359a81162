/** Media types of patches. */
import { applyCborMediaType, applyMediaType, type Media } from "../codec/negotiate.ts";
import type { Resource } from "../plugin.ts";

const strategic = "application/strategic-merge-patch+json";

/** The dialects of patches by media type, in upstream's order. A server-side apply is none of them. */
export const dialectTypes = ["application/json-patch+json", "application/merge-patch+json", strategic] as const;
export type DialectType = typeof dialectTypes[number];

interface Patched {
  readonly resource: Pick<Resource, "custom">;
}

/** Returns the dialects for a resource. Custom resources have no strategic merge patches. */
export function dialectTypesOf({ resource }: Patched): readonly DialectType[] {
  return resource.custom === true ? dialectTypes.filter((type) => type !== strategic) : dialectTypes;
}

/** Media types of all patches of a resource, in upstream's order. */
export function patchMediaTypes({ encodings }: Media, patched: Patched): readonly string[] {
  return [...dialectTypesOf(patched), applyMediaType, ...(encodings.includes("cbor") ? [applyCborMediaType] : [])];
}
