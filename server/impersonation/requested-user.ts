/** Parses the impersonation headers of a request. */
import { badRequestError } from "../../core/status-error.ts";
import { labelName, subdomainName } from "../../core/meta/names.ts";
import type { Names } from "../../core/names.ts";
import { spell } from "../../core/names.ts";
import type { Exchange } from "../../kernel/request/exchange.ts";
import { addExtraValues, headerValues } from "../../core/identity-headers.ts";

/** One part of an identity. Each needs a separate permission. */
export type Requested =
  | { readonly kind: "User"; readonly name: string }
  | { readonly kind: "ServiceAccount"; readonly namespace: string; readonly name: string }
  | { readonly kind: "Group"; readonly name: string }
  | { readonly kind: "UserExtra"; readonly key: string; readonly name: string }
  | { readonly kind: "UID"; readonly name: string };

const userHeader = "impersonate-user", groupHeader = "impersonate-group", uidHeader = "impersonate-uid";
const extraPrefix = "impersonate-extra-";

/** Whether any impersonation header is present. Called for every request. */
export function hasImpersonation(headers: Exchange["headers"]): boolean {
  if (headers[userHeader] !== undefined || headers[groupHeader] !== undefined || headers[uidHeader] !== undefined) return true;
  for (const name in headers) if (name.startsWith(extraPrefix)) return true;
  return false;
}

/** The headers without those of impersonation, for all later steps. */
export function withoutImpersonation(headers: Exchange["headers"]): Exchange["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isImpersonation(name)));
}
function isImpersonation(name: string): boolean {
  return name === userHeader || name === groupHeader || name === uidHeader || name.startsWith(extraPrefix);
}

/**
 * The requested parts in order of authorization: the user, groups, extra values, the UID. Empty if there are none: an empty user and an
 * empty UID count as absent. Throws 400 for other parts without a user.
 */
export function requestedOf(headers: Exchange["headers"], names: Names): readonly Requested[] {
  const user = headerValues(headers, userHeader)[0] ?? "", uid = headerValues(headers, uidHeader)[0] ?? "";
  const extra = new Map<string, readonly string[]>();
  addExtraValues(extra, headers, extraPrefix);
  const others: readonly Requested[] = [
    ...headerValues(headers, groupHeader).map((name) => ({ kind: "Group", name }) as const),
    ...[...extra].flatMap(([key, values]) => values.map((name) => ({ kind: "UserExtra", key, name }) as const)),
    ...(uid === "" ? [] : [{ kind: "UID", name: uid } as const]),
  ];
  if (user !== "") return [serviceAccountOf(user) ?? { kind: "User", name: user }, ...others];
  if (others.length === 0) return [];
  throw badRequestError(`requested [${others.map((each) => referenceText(each, names)).join(" ")}] without impersonating a user`);
}

/** The service account of a user name: `system:serviceaccount:<namespace>:<name>`. */
export function serviceAccountOf(user: string): (Requested & { readonly kind: "ServiceAccount" }) | undefined {
  const [system, kind, namespace = "", name = "", ...more] = user.split(":", 6);
  if (system !== "system" || kind !== "serviceaccount" || more.length > 0) return undefined;
  if (labelName(namespace, false).length > 0 || subdomainName(name, false).length > 0) return undefined;
  return { kind: "ServiceAccount", namespace, name };
}

/** An object reference in Go's format: kind, namespace, name, UID, API version, resource version and field path. */
function referenceText(requested: Requested, names: Names): string {
  const { kind, name } = requested;
  const apiVersion = kind === "UserExtra" || kind === "UID" ? spell(names, "authentication.{domain}/v1") : "";
  return `{${[kind, "", name, "", apiVersion, "", kind === "UserExtra" ? requested.key : ""].join(" ")}}`;
}
