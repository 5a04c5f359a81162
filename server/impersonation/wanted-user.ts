/** The user that the headers of impersonation name, as they name it. */
import { addExtraValues, headerValues } from "../../core/identity-headers.ts";
import { badRequestError } from "../../core/status-error.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import type { Exchange } from "../../kernel/request/exchange.ts";

export interface WantedUser {
  readonly name: string;
  /** Empty if there is none. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** Undefined without a user. Throws 400 for other parts without a user. */
export function wantedUserOf(headers: Exchange["headers"]): WantedUser | undefined {
  const extra = new Map<string, readonly string[]>();
  addExtraValues(extra, headers, "impersonate-extra-");
  const wanted = {
    name: headerValues(headers, "impersonate-user")[0] ?? "",
    uid: headerValues(headers, "impersonate-uid")[0] ?? "",
    groups: headerValues(headers, "impersonate-group"),
    extra,
  };
  if (wanted.name !== "") return wanted;
  if (onlyNameOf(wanted)) return undefined;
  throw badRequestError(`requested ${goText(wanted)} without impersonating a user name`);
}

/** Whether the headers have nothing but a name. */
export function onlyNameOf({ uid, groups, extra }: WantedUser): boolean {
  return uid === "" && groups.length === 0 && extra.size === 0;
}

/** The user as Go's `%#v` writes it. */
function goText({ name, uid, groups, extra }: WantedUser): string {
  const texts = (values: readonly string[]) => `[]string{${values.map(goQuote).join(", ")}}`;
  const pairs = [...extra].toSorted(([one], [other]) => one < other ? -1 : 1).map(([key, values]) => `${goQuote(key)}:${texts(values)}`);
  const written = extra.size === 0 ? "map[string][]string(nil)" : `map[string][]string{${pairs.join(", ")}}`;
  return `&user.DefaultInfo{Name:${goQuote(name)}, UID:${goQuote(uid)}, Groups:${
    groups.length === 0 ? "[]string(nil)" : texts(groups)
  }, Extra:${written}}`;
}
