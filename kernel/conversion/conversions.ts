/** Converts objects of kinds whose versions are converted by calls, in requests of bounded size. */
import type { JsonObject } from "../../core/json.ts";
import type { ConversionContext, StoredConversion } from "../../core/conversion.ts";
import { bound } from "../../core/bound.ts";

/** Maximum number of objects in one request to a conversion webhook. A longer list is converted by several requests. */
const conversionObjectsMax = bound(500);
/** Maximum bytes of stored objects in one request to a conversion webhook. A larger list is converted by several requests. */
const conversionBytesMax = bound(2 * 1024 * 1024);

/** An object with its size in bytes. */
export interface Sized {
  readonly object: JsonObject;
  readonly bytes: number;
}

/** Converts the objects to the wanted version, and returns them in the same order. Rejects with the first error. */
export async function convertAll(
  conversion: StoredConversion,
  objects: readonly Sized[],
  apiVersion: string,
  context: ConversionContext,
): Promise<readonly JsonObject[]> {
  const converted: JsonObject[] = [];
  for (const part of parts(objects)) {
    for (const object of await conversion.convert(part.map(({ object }) => object), apiVersion, context)) converted.push(object);
  }
  return converted;
}

function* parts(objects: readonly Sized[]): Generator<readonly Sized[]> {
  let part: Sized[] = [], bytes = 0;
  for (const each of objects) {
    if (part.length > 0 && (part.length >= conversionObjectsMax || bytes + each.bytes > conversionBytesMax)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(each);
    bytes += each.bytes;
  }
  if (part.length > 0) yield part;
}
