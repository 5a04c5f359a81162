/** Static bearer tokens: a file of lines `token,user,uid,"group1,group2"`. */
import type { AuthenticatorDefinition } from "../../core/authentication.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { type Fault, FaultyFile, FaultyText } from "../../core/config/mistake.ts";
import type { Caller } from "../../core/user-info.ts";
import { ownAudiences, type TokenAuthenticator } from "../../core/token-authenticator.ts";
import { answersOf } from "./answers.ts";

/** The users of a token file by token. Throws a FaultyText with every mistake: its line, and never a token. */
export function parseTokenFile(text: string): ReadonlyMap<string, Caller> {
  const users = new Map<string, Caller>(), faults: Fault[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const columns = fieldsOf(line, (reason) => faults.push({ text: reason, line: index + 1 }));
    if (columns === undefined) continue;
    const [token = "", name = "", uid = "", groups = ""] = columns;
    if (token === "" || name === "" || columns.length < 3) {
      faults.push({ text: `expected token,user,uid[,"group1,group2"], got ${columns.length} fields`, line: index + 1 });
      continue;
    }
    users.set(token, { name, uid, groups: groups.split(",").map((group) => group.trim()).filter((group) => group !== "") });
  }
  if (faults.length > 0) throw new FaultyText(faults.map((fault) => `token file, line ${fault.line}: ${fault.text}`).join(", "), faults);
  return users;
}

function fieldsOf(line: string, fail: (reason: string) => void): readonly string[] | undefined {
  try {
    return fields(line);
  } catch (error) {
    fail(reasonOf(error));
    return undefined;
  }
}

/** Comma-separated values of one line; a field in double quotes may contain commas, and a doubled quote is a literal one. */
function fields(line: string): readonly string[] {
  const out: string[] = [];
  let field = "", quoted = false;
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!;
    if (quoted && char === '"' && line[at + 1] === '"') {
      field += '"';
      at++;
    } else if (char === '"') {
      // As upstream's parser: quotes surround a whole field.
      if (!quoted && field.trim() !== "") throw new Error(`a quote within a field, at character ${at + 1}`);
      quoted = !quoted;
    } else if (char === "," && !quoted) {
      out.push(field.trim());
      field = "";
    } else field += char;
  }
  if (quoted) throw new Error("a quote is not closed");
  return [...out, field.trim()];
}

/** Authenticates the tokens of a file. */
export interface TokenFile extends TokenAuthenticator {
  /** Replaces the tokens for later requests. Throws at a mistake, and for a text without tokens if there were any, with nothing changed. */
  replace(text: string): void;
}

/**
 * Lookup by the token itself: the engine compares a hash with a random seed before the text, so the duration of a lookup does not reveal
 * known tokens. `audiences` are those of the server.
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
      const parsed = parseTokenFile(next);
      if (parsed.size === 0 && users.size > 0) throw new Error("the token file has no tokens");
      users = parsed;
    },
  };
}

const flag = { name: "token-auth-file", kind: "string" } as const;
const what = "token file";

/** The authenticator `tokenfile`. */
export const staticTokens: AuthenticatorDefinition = {
  name: "tokenfile",
  summary: "Static bearer tokens of --token-auth-file.",
  plainReasons: true,
  required: true,
  answerMs: Infinity,
  checks: {
    files: ({ setting, files }) => {
      const path = setting(flag);
      return path === "" ? [] : [[flag.name, files.readText(path, what).then((text) => tokensIn(text, path, () => []))]];
    },
  },
  async open({ setting, files, audiences }) {
    const path = setting(flag);
    if (path === "") return undefined;
    let text = await files.readText(path, what);
    const tokens = tokensIn(text, path, audiences);
    const renew = async () => {
      const next = await files.readText(path, what);
      if (next === text) return undefined;
      tokens.replace(next);
      text = next;
      return {};
    };
    return { authenticateToken: answersOf(tokens), followed: [{ what, paths: [path], renew }] };
  },
};

function tokensIn(text: string, path: string, audiences: () => readonly string[]): TokenFile {
  try {
    return tokenFile(text, audiences);
  } catch (error) {
    throw new FaultyFile(path, reasonOf(error), error);
  }
}
