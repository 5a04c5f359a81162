/** Removes duplicate owner references, with a warning for the client. */
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Warnings } from "../request/warnings.ts";

/** Removes repeated owner references. `when` is the part of upstream's message that names the time of the check. */
export function withOwnersOnce(object: ApiObject, when: "" | " after mutating admission happens", warnings: Warnings): ApiObject {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length < 2) return object;
  const seen = new Set<string>(), repeated = new Set<string>();
  const kept = owners.filter((owner) => {
    const text = JSON.stringify(owner);
    if (seen.has(text)) repeated.add(owner.uid);
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
  if (repeated.size === 0) return object;
  warnings.add(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such ` +
      `requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...repeated].join(", ")}`,
  );
  return { ...object, metadata: { ...object.metadata, ownerReferences: kept } };
}
