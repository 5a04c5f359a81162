/** Label selectors as text. */
import type { LabelSelector } from "../../plugin.ts";
import { validateLabelSelector } from "../../toolbox.ts";

/** A selector that a kind requires: null in an object that lacks it, until the object is rejected. */
export type RequiredSelector = LabelSelector | null | undefined;

/** The selector in the form of query parameters, by key: `a=1,b in (x,y),!c`. Undefined if it is invalid; "" if it selects everything, or is absent. */
export function selectorText(selector: RequiredSelector): string | undefined {
  if (validateLabelSelector(selector ?? undefined, "").length > 0) return undefined;
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const parts = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...matchExpressions.map(({ key, operator, values = [] }) => ({ key, text: requirementText(key, operator, values) })),
  ];
  return parts.toSorted((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0).map(({ text }) => text).join(",");
}

function requirementText(key: string, operator: string, values: readonly string[]): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  return `${key} ${operator === "In" ? "in" : "notin"} (${values.toSorted().join(",")})`;
}

/** The text of a selector in tables. */
export function selectorCell(selector: RequiredSelector): string {
  const text = selectorText(selector);
  return text === undefined ? "<error>" : text || "<none>";
}

/** Labels as text, by key: `a=1,b=2`; `<none>` without any. */
export function labelsText(labels: Readonly<Record<string, string>> = {}): string {
  return Object.keys(labels).length === 0 ? "<none>" : Object.keys(labels).sort().map((key) => `${key}=${labels[key]}`).join(",");
}
