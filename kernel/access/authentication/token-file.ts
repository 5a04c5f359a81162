/** Static bearer tokens: a file of lines `token,user,uid,"group1,group2"`. */
import type { Exchange } from "../../request/exchange.ts";
import type { Authenticator, Warn } from "./authenticate.ts";
import type { UserInfo } from "../../../core/user-info.ts";

/** The users of a token file by token. Mistakes name the line and never show a token. */
export function parseTokenFile(text: string): ReadonlyMap<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const columns = fields(line);
    const [token = "", name = "", uid = "", groups = ""] = columns;
    if (token === "" || name === "" || columns.length < 3) {
      throw new Error(`token file, line ${index + 1}: expected token,user,uid[,"group1,group2"], got ${columns.length} fields`);
    }
    users.set(token, { name, uid, groups: groups.split(",").map((group) => group.trim()).filter((group) => group !== "") });
  }
  return users;
}

/** Comma-separated values of one line; a field in double quotes may hold commas, and a doubled quote stands for one. */
function fields(line: string): readonly string[] {
  const out: string[] = [];
  let field = "", quoted = false;
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!;
    if (quoted && char === '"' && line[at + 1] === '"') {
      field += '"';
      at++;
    } else if (char === '"') quoted = !quoted;
    else if (char === "," && !quoted) {
      out.push(field.trim());
      field = "";
    } else field += char;
  }
  return [...out, field.trim()];
}

/** Knows the users of a token file. */
export interface TokenFile extends Authenticator {
  /** Takes another text into force; requests that come from now on go by it. Throws, with nothing changed, at a mistake. */
  replace(text: string): void;
}

/** Tokens are looked up as they are: the engine hashes text with a seed of the process before it compares any, so how long it takes
 *  says nothing of the tokens that there are. */
export function tokenFile(text: string): TokenFile {
  let users = parseTokenFile(text);
  return {
    name: "tokenfile",
    async authenticate(exchange, warn) {
      const token = bearerToken(exchange, warn);
      return token === undefined ? undefined : users.get(token) ?? "refused";
    },
    replace(next) {
      users = parseTokenFile(next);
    },
  };
}

/** The token of the first Authorization header; undefined where there is none. The scheme's letter case does not matter, words
 *  behind the token do not either. */
function bearerToken(exchange: Exchange, warn: Warn): string | undefined {
  const value = exchange.headers["authorization"];
  const text = typeof value === "string" ? value : value?.[0];
  const [scheme, token, ...more] = text?.trim().split(" ") ?? [];
  if (scheme?.toLowerCase() !== "bearer") return undefined;
  if (token !== "") return token;
  if (more.length > 0) warn("the provided Authorization header contains extra space before the bearer token, and is ignored");
  return undefined;
}
