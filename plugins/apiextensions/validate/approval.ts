/** Checks the approval of definitions in groups of the platform, which is an annotation. */
import { type FieldError, invalid, required } from "../../../plugin.ts";
import { goQuote, type Names, spell } from "../../../toolbox.ts";
import { Unreadable } from "../../../core/scalars/unreadable.ts";
import { parseUrl } from "../../../core/net/url/parse.ts";
import type { CustomResourceDefinition } from "../schema.ts";

type State = "invalid" | "approved" | "bypassed" | "missing";
export interface Approval {
  readonly state: State;
  /** Upstream's sentence that describes the state. */
  readonly reason: string;
}

/** Whether definitions of the group need an approval. This is so for groups of the platform's own domains. */
export function isProtectedGroup(group: string, { domain, platform }: Names): boolean {
  return [domain, `${platform}.io`].some((own) => group === own || group.endsWith(`.${own}`));
}

const annotationName = "api-approved.{platform}.io";
const seeAlso = "see https://github.com/kubernetes/enhancements/pull/1111";

/** Returns the state of a definition's approval. */
export function approvalOf({ metadata }: CustomResourceDefinition, names: Names): Approval {
  const name = spell(names, annotationName), text = metadata.annotations?.[name] ?? "";
  const must = `protected groups must have approval annotation ${goQuote(name)}`;
  if (text === "") return { state: "missing", reason: `${must}, ${seeAlso}` };
  if (text.startsWith("unapproved")) return { state: "bypassed", reason: `not approved: ${goQuote(text)}` };
  const url = parseUrl(text);
  if (!(url instanceof Unreadable) && url.host !== "" && url.scheme !== "") return { state: "approved", reason: `approved in ${text}` };
  return { state: "invalid", reason: `${must} with either a URL or a reason starting with "unapproved", ${seeAlso}` };
}

/** Returns the error of a definition without a valid approval; none if the stored definition has the same state. */
export function validateApproval(
  next: CustomResourceDefinition,
  prior: CustomResourceDefinition | undefined,
  names: Names,
): readonly FieldError[] {
  if (!isProtectedGroup(next.spec.group, names)) return [];
  const { state, reason } = approvalOf(next, names);
  if (prior !== undefined && approvalOf(prior, names).state === state) return [];
  const name = spell(names, annotationName), path = `metadata.annotations[${name}]`;
  if (state === "invalid") return [invalid(path, next.metadata.annotations?.[name] ?? "", reason)];
  return state === "missing" ? [required(path, reason)] : [];
}
