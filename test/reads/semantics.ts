/**
 * The meaning of every combination of resourceVersion, resourceVersionMatch, limit, continue and sendInitialEvents, as a second,
 * independent implementation for tests. Values of resourceVersion:
 *
 *   ""  "0"   |   old: no longer retained   |   N: retained, not the newest   |   future: not reached   |   soon: not a number
 */
export const asked = Object.freeze({
  resourceVersion: ["", "0", "old", "N", "future"],
  resourceVersionMatch: ["", "NotOlderThan", "Exact", "foo"],
  limit: ["", "0", "1"],
  continue: ["", "token", "expired", "nonsense"],
  sendInitialEvents: ["", "true", "false"],
});
export type Cell = { readonly [Key in keyof typeof asked]: string };

/** All combinations. */
export function cells(): Cell[] {
  return asked.resourceVersion.flatMap((resourceVersion) =>
    asked.resourceVersionMatch.flatMap((resourceVersionMatch) =>
      asked.limit.flatMap((limit) =>
        asked.continue.flatMap((token) =>
          asked.sendInitialEvents.map((sendInitialEvents) => ({
            resourceVersion,
            resourceVersionMatch,
            limit,
            continue: token,
            sendInitialEvents,
          }))
        )
      )
    )
  );
}

/** The meaning of valid lists and watches. */
export type Meaning =
  | "newest"
  | "any"
  | "not older"
  | "exact"
  | "continue"
  | "state, then changes"
  | "changes from now on"
  | "changes after";
export type Answer = { readonly meaning: Meaning } | { readonly code: number; readonly message: string };

const match = "resourceVersionMatch: ";
const invalid = (errors: readonly string[]): Answer => ({
  code: 422,
  message: `ListOptions.meta.k8s.io "" is invalid: ${errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`}`,
});

export function listAnswer(cell: Cell): Answer {
  const { resourceVersion, resourceVersionMatch, limit, sendInitialEvents } = cell;
  const errors: string[] = [];
  if (resourceVersionMatch !== "") {
    if (resourceVersion === "") errors.push(`${match}Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`);
    if (cell.continue !== "") errors.push(`${match}Forbidden: resourceVersionMatch is forbidden when continue is provided`);
    if (resourceVersionMatch === "foo") {
      errors.push(`${match}Unsupported value: "foo": supported values: "Exact", "NotOlderThan", ""`);
    }
    if (resourceVersionMatch === "Exact" && resourceVersion === "0") {
      errors.push(`${match}Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`);
    }
  }
  if (sendInitialEvents !== "") errors.push("sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list");
  if (errors.length > 0) return invalid(errors);
  if (cell.continue !== "") {
    if (cell.continue === "nonsense") return { code: 400, message: "invalid continue token: " };
    if (resourceVersion !== "" && resourceVersion !== "0") {
      return { code: 400, message: "specifying resource version is not allowed when using continue" };
    }
    return cell.continue === "expired"
      ? { code: 410, message: "The provided continue parameter is too old to display a consistent list result." }
      : { meaning: "continue" };
  }
  if (resourceVersion === "") return { meaning: "newest" };
  if (resourceVersion === "0") return { meaning: "any" };
  if (resourceVersion === "future") return { code: 504, message: "Timeout: Too large resource version: " };
  const exact = resourceVersionMatch === "Exact" || (resourceVersionMatch === "" && limit === "1");
  if (!exact) return { meaning: "not older" };
  return resourceVersion === "old" ? { code: 410, message: "The resourceVersion for the provided list is too old." } : { meaning: "exact" };
}

/** Watches ignore limits and continue tokens. At resourceVersion "" or "0", a watch without the other options is a streaming list. */
export function watchAnswer(cell: Cell): Answer {
  const recent = cell.resourceVersion === "" || cell.resourceVersion === "0";
  const isDefault = recent && cell.sendInitialEvents === "" && cell.resourceVersionMatch === "";
  const { resourceVersion, resourceVersionMatch, sendInitialEvents } = isDefault
    ? { ...cell, sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" }
    : cell;
  const errors: string[] = [];
  if (sendInitialEvents !== "" && resourceVersionMatch !== "NotOlderThan") {
    errors.push(`${match}Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`);
  }
  if (resourceVersionMatch !== "") {
    if (sendInitialEvents === "") {
      errors.push(`${match}Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`);
    }
    if (resourceVersionMatch !== "NotOlderThan") {
      errors.push(`${match}Unsupported value: "${resourceVersionMatch}": supported values: "NotOlderThan"`);
    }
    if (cell.continue !== "") errors.push(`${match}Forbidden: resourceVersionMatch is forbidden when continue is provided`);
  }
  if (errors.length > 0) return invalid(errors);
  if (sendInitialEvents === "true") {
    if (resourceVersion === "future") return { code: 504, message: "Timeout: Too large resource version: " };
    return { meaning: "state, then changes" };
  }
  if (recent) return { meaning: "changes from now on" };
  return resourceVersion === "old" ? { code: 410, message: "too old resource version: " } : { meaning: "changes after" };
}
