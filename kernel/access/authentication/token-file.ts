/** Static bearer tokens: a file of lines `token,user,uid,"group1,group2"`. */
import type { UserInfo } from "../../../core/user-info.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";
import { ownAudiences } from "./token-chain.ts";

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

/** Authenticates the tokens of a file. */
export interface TokenFile extends TokenAuthenticator {
  /** Replaces the tokens; later requests use the new ones. Throws, with nothing changed, at a mistake. */
  replace(text: string): void;
}

/**
 * Tokens are looked up as they are: the engine compares the hash of a text, with a random seed of the process, before the text itself, so
 * the duration of a lookup says nothing about known tokens. `audiences` are those of the server.
 */
export function tokenFile(text: string, audiences: () => readonly string[] = () => []): TokenFile {
  let users = parseTokenFile(text);
  return {
    name: "tokenfile",
    cacheable: false,
    authenticateToken(token, asked) {
      const user = users.get(token), shared = ownAudiences(audiences(), asked);
      return Promise.resolve(user === undefined || shared === undefined ? undefined : { user, audiences: shared });
    },
    replace(next) {
      users = parseTokenFile(next);
    },
  };
}
