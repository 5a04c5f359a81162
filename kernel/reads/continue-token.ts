/** Continue tokens of chunked lists, in upstream's encoding: base64url of `{"v":"meta.k8s.io/v1","rv":5,"start":"a\u0000"}`. */
import { trimEndOf } from "../../core/trim-end.ts";
import { goString } from "../../core/tree/json-text.ts";
import type { Names } from "../../core/names.ts";
import { badRequestError, type StatusError } from "../../core/status-error.ts";
import { jsonKind } from "../../core/tree/go-errors.ts";
import { readJson } from "../../core/tree/json.ts";
import { NumberText, type Tree, TreeObject } from "../../core/tree/tree.ts";
import type { Revision } from "../store/store.ts";

export interface ContinuePoint {
  /** The revision of the first chunk. -1 stands for the newest revision, if the list continues inconsistently. */
  readonly revision: Revision;
  /** The first key of the continued list, relative to the collection; "" starts at its beginning. */
  readonly start: string;
}

function versionOf(names: Names): string {
  return `meta.${names.domain}/v1`;
}

export function writeContinue(point: ContinuePoint, names: Names): string {
  const text = `{"v":${goString(versionOf(names))},"rv":${point.revision},"start":${goString(point.start === "" ? "/" : point.start)}}`;
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
  return trimEndOf(btoa(binary), "=").replaceAll("+", "-").replaceAll("/", "_");
}

/** Parses a token. Throws 400 for a malformed one, and for a key outside the collection. */
export function readContinue(token: string, names: Names): ContinuePoint {
  const read = readJson(bytesOf(token));
  if (!read.ok) throw refusal(read.error);
  const { v = "", rv = new NumberText("0"), start = "" } = membersOf(read.tree);
  const version = versionOf(names);
  if (v !== version) throw refusal(`server does not recognize this encoded version ${v}`);
  const revision = Math.min(Number(rv.text), Number.MAX_SAFE_INTEGER);
  if (revision === 0) throw refusal(`incorrect encoded start resourceVersion (version ${version})`);
  if (start === "") throw refusal(`encoded start key empty (version ${version})`);
  // Upstream's cache writes keys with a leading slash. Both forms are accepted.
  const key = start.startsWith("/") ? start.slice(1) : start;
  if (key !== "" && key.split("/").some((part) => part === "" || part === "." || part === "..")) throw refusal(start);
  return { revision: revision < 0 ? -1 : revision, start: key };
}

function refusal(why: string): StatusError {
  return badRequestError(`invalid continue token: continue key is not valid: ${why}`);
}

/** Decodes base64url without padding. Line ends are ignored. */
function bytesOf(token: string): Uint8Array {
  const bad = [...token].findIndex((char) => !/[A-Za-z0-9_\r\n-]/.test(char));
  if (bad >= 0) throw refusal(`illegal base64 data at input byte ${new TextEncoder().encode([...token].slice(0, bad).join("")).length}`);
  const digits = token.replace(/[\r\n]/g, "");
  if (digits.length % 4 === 1) throw refusal(`illegal base64 data at input byte ${token.length - 1}`);
  return Uint8Array.from(atob(digits.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}

interface Members {
  v?: string;
  rv?: NumberText;
  start?: string;
}

/** Reads members as Go does: names are case-insensitive, the last one of a name wins, null is ignored, the first wrong type is an error. */
function membersOf(tree: Tree): Members {
  if (tree === null) return {};
  if (!(tree instanceof TreeObject)) throw refusal(`json: cannot unmarshal ${jsonKind(tree)} into Go value of type storage.continueToken`);
  const members: Members = {};
  for (const [index, name] of tree.keys.entries()) {
    const value = tree.values[index] ?? null;
    const key = name.toLowerCase();
    if (value === null) continue;
    if (key === "rv") {
      if (!(value instanceof NumberText)) throw wrongType(jsonKind(value), "rv", "int64");
      if (!isInt64(value.text)) throw wrongType(`number ${value.text}`, "rv", "int64");
      members.rv = value;
    } else if (key === "v" || key === "start") {
      if (typeof value !== "string") throw wrongType(jsonKind(value), key, "string");
      members[key] = value;
    }
  }
  return members;
}
function isInt64(text: string): boolean {
  return text.length <= 20 && /^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}
function wrongType(what: string, key: keyof Members, type: string): StatusError {
  return refusal(`json: cannot unmarshal ${what} into Go struct field continueToken.${key} of type ${type}`);
}
