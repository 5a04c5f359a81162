/** Releases that Helm keeps in Secrets: base64 of gzip of JSON, in the base64 of the Secret. */
import { gunzipSync } from "node:zlib";
import { isObject, type JsonObject } from "../../core/json.ts";
import { bytesOf, parseBase64 } from "../../core/scalars/base64.ts";
import type { Evidence } from "../upgrade/advise/evidence.ts";
import { objectsInText } from "../upgrade/advise/text-objects.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of one release of Helm when it is unpacked. */
export const releaseBytesMax = bound(16 * 1024 * 1024);

/** Yields the objects in the manifest of a release, which Helm compares with the server at the next upgrade. */
export function* objectsOfRelease(secret: JsonObject): Generator<Evidence> {
  const metadata = isObject(secret.metadata) ? secret.metadata : {}, data = isObject(secret.data) ? secret.data : {};
  const place = { name: `secret ${metadata.name} in ${metadata.namespace}` };
  let release: JsonObject;
  try {
    release = decodeRelease(String(data.release ?? ""));
  } catch (error) {
    yield { tag: "unread", place, reason: `the release cannot be read: ${error instanceof Error ? error.message : error}` };
    return;
  }
  const name = `release ${release.name} in ${release.namespace}, revision ${release.version}`;
  const fix =
    "upgrade the release with a chart that has new versions while the server has both; after the removal, change the stored release (helm mapkubeapis)";
  yield* objectsInText(String(release.manifest ?? ""), () => ({ name }), fix);
}

function decodeRelease(text: string): JsonObject {
  const inner = new TextDecoder().decode(base64(text));
  const bytes = base64(inner);
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const json = isZipped ? gunzipSync(bytes, { maxOutputLength: releaseBytesMax }) : bytes;
  const value: unknown = JSON.parse(new TextDecoder().decode(json));
  if (!isObject(value)) throw new Error("it is no object");
  return value;
}

function base64(text: string): Uint8Array {
  const parsed = parseBase64(text.trim());
  if (typeof parsed !== "string") throw new Error("it is not base64");
  return bytesOf(parsed);
}
