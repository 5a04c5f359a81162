import { append } from "../append.ts";
import { type FieldError, invalid, noErrors } from "../field-error.ts";
import type { OwnerReference } from "./object-meta.ts";

/** Returns group and version of an apiVersion. As in upstream, both are empty if it has more than one slash. */
function readGroupVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const parts = apiVersion.split("/", 3);
  if (parts.length === 1) return { group: "", version: apiVersion };
  return parts.length === 2 ? { group: parts[0]!, version: parts[1]! } : { group: "", version: "" };
}

function validateOwnerReference(owner: OwnerReference, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { group, version } = readGroupVersion(owner.apiVersion);
  if (version === "") errors.push(invalid(`${path}.apiVersion`, owner.apiVersion, "version must not be empty"));
  for (const key of ["kind", "name", "uid"] as const) {
    if (owner[key] === "") errors.push(invalid(`${path}.${key}`, owner[key], "must not be empty"));
  }
  // Events cannot be owners, because they exist only for a short time.
  if (group === "" && version === "v1" && owner.kind === "Event") {
    errors.push(invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner"));
  }
  return errors;
}

/** Validates each owner, and that at most one is the managing controller. */
export function validateOwnerReferences(owners: readonly OwnerReference[] | undefined, path: string): readonly FieldError[] {
  if (!owners) return noErrors;
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const owner of owners) {
    append(errors, validateOwnerReference(owner, path));
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller === undefined) controller = name;
    else {
      const both = `references for ${controller} and ${name}`;
      errors.push(invalid(path, owners, `Only one reference can have Controller set to true. Found "true" in ${both}`));
    }
  }
  return errors;
}
