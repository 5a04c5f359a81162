/** Continue tokens of chunked lists, in upstream's encoding: base64url of `{"v":"meta.k8s.io/v1","rv":5,"start":"a\u0000"}`. */
import { goString } from "../core/codec/json-text.ts";
import type { Names } from "../core/names.ts";
import { badRequestError, type StatusError } from "../core/status-error.ts";
import { jsonKind } from "../core/tree/go-errors.ts";
import { readJson } from "../core/tree/json.ts";
import { NumberText, TreeObject } from "../core/tree/tree.ts";
import type { Revision } from "./store/store.ts";

export interface ContinuePoint {
  /** The revision of the first chunk; -1 for the newest (an inconsistent continuation). */
  readonly revision: Revision;
  /** Where the rest begins: the key below the collection, inclusive. */
  readonly start: string;
}

function versionOf(names: Names): string {
  return `meta.${names.domain}/v1`;
}

export function writeContinue(point: ContinuePoint, names: Names): string {
  const text = `{"v":${goString(versionOf(names))},"rv":${point.revision},"start":${goString(point.start)}}`;
  const binary = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The point that a token names; 400 for one that was not made so, or that would lead outside the collection. */
export function readContinue(token: string, names: Names): ContinuePoint {
  const refuse = (why: string): StatusError => badRequestError(`invalid continue token: continue key is not valid: ${why}`);
  const bad = [...token].findIndex((char) => !/[A-Za-z0-9_-]/.test(char));
  if (bad >= 0) throw refuse(`illegal base64 data at input byte ${new TextEncoder().encode([...token].slice(0, bad).join("")).length}`);
  if (token.length % 4 === 1) throw refuse(`illegal base64 data at input byte ${token.length - 1}`);
  const binary = atob(token.replaceAll("-", "+").replaceAll("_", "/"));
  const read = readJson(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
  if (!read.ok) throw refuse(read.error);
  const { tree } = read;
  const version = versionOf(names);
  if (!(tree instanceof TreeObject)) {
    if (tree === null) throw refuse("server does not recognize this encoded version ");
    throw refuse(`json: cannot unmarshal ${jsonKind(tree)} into Go value of type storage.continueToken`);
  }
  const text = (key: "v" | "start"): string => {
    const value = tree.get(key) ?? "";
    if (typeof value !== "string") {
      throw refuse(`json: cannot unmarshal ${jsonKind(value)} into Go struct field continueToken.${key} of type string`);
    }
    return value;
  };
  const number = tree.get("rv") ?? new NumberText("0");
  if (!(number instanceof NumberText) || !/^-?\d+$/.test(number.text)) {
    const what = number instanceof NumberText ? `number ${number.text}` : jsonKind(number);
    throw refuse(`json: cannot unmarshal ${what} into Go struct field continueToken.rv of type int64`);
  }
  if (text("v") !== version) throw refuse(`server does not recognize this encoded version ${text("v")}`);
  const revision = Number(number.text);
  if (revision === 0) throw refuse(`incorrect encoded start resourceVersion (version ${version})`);
  const start = text("start");
  if (start === "") throw refuse(`encoded start key empty (version ${version})`);
  if (
    `/${start}`.split("/").slice(1).some((part, index, parts) => part === "." || part === ".." || (part === "" && index < parts.length - 1))
  ) {
    throw refuse(start);
  }
  return { revision: revision < 0 ? -1 : revision, start };
}
