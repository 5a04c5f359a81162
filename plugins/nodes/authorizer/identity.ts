import type { Caller } from "../../../plugin.ts";

const prefix = "system:node:", group = "system:nodes";

/** The name of the node whose kubelet the user is, perhaps empty. Undefined for other users. */
export function nodeOf({ name, groups }: Caller): string | undefined {
  return name.startsWith(prefix) && groups.includes(group) ? name.slice(prefix.length) : undefined;
}
