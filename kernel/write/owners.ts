/** Checks owner references and field managers of an object that admission has changed, and warns the client. */
import { ownersProblem } from "../../core/apply/mod.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Warnings } from "../request/warnings.ts";
import { valueText } from "../../core/value-text.ts";

/** Removes repeated owner references. `when` is the part of upstream's message that names the time of the check. */
export function withOwnersOnce(object: ApiObject, when: "" | " after mutating admission happens", warnings: Warnings): ApiObject {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length < 2) return object;
  const seen = new Set<string>(), repeated = new Set<string>();
  const kept = owners.filter((owner) => {
    const text = valueText(owner);
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

/** Restores the field managers that the object had before the mutating steps if these made them invalid. */
export function withValidManagers(before: ApiObject, after: ApiObject, warnings: Warnings): ApiObject {
  const { managedFields } = after.metadata, { managedFields: valid } = before.metadata;
  const problem = managedFields === valid ? undefined : ownersProblem(managedFields);
  if (problem === undefined) return after;
  warnings.add(
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; " +
      `please fix your requests: ${problem}`,
  );
  const { managedFields: _, ...metadata } = after.metadata;
  return { ...after, metadata: valid === undefined ? metadata : { ...metadata, managedFields: valid } };
}
