/** Texts of data items: byte strings, text strings and tagged times. */
import { base64Of } from "../../scalars/base64.ts";
import { epochText, rfc3339Text } from "../../scalars/time.ts";
import { Unreadable } from "../../scalars/unreadable.ts";
import { type Bare, CborFailure, type Later, untaggingReader, wrongType } from "./failure.ts";
import { CborBytes, CborFloat, CborInvalidText, type CborItem, tags } from "./item.ts";

/** Returns a reader of byte and text strings; undefined for null. Fails for any other item; `goType` is the expected type in the message. */
export function textOf(goType: string): (item: CborItem, later: Later) => string | undefined | CborFailure {
  return untaggingReader((item, later) => {
    if (item === null) return undefined;
    if (typeof item === "string") return item;
    if (item instanceof CborBytes) return textOfBytes(item, later);
    return outside(item, goType);
  });
}

/** Returns the text of a byte string: its bytes as UTF-8, or in the encoding of the tag. */
export function textOfBytes(item: CborBytes, later: Later): string {
  if (later === undefined) return item.text;
  const { bytes } = item;
  if (later === tags.base16) return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = base64Of(bytes);
  return later === tags.base64 ? base64 : base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the error for an item of the wrong type, after the errors of items that are invalid everywhere. */
export function outside(item: Bare, goType: string): CborFailure {
  if (item instanceof CborInvalidText) return new CborFailure("cbor: invalid UTF-8 string");
  if (typeof item === "bigint" && item < int64Min) return wrongType(item, goType, `${item} overflows Go's int64`);
  return wrongType(item, goType);
}
export const int64Min = -(2n ** 63n), int64Max = 2n ** 63n - 1n;

/** Returns the text of a tagged time. The caller has checked the item with `misplaced`. */
export function taggedTime(item: Bare): string | CborFailure {
  if (item instanceof CborInvalidText) return outside(item, "time.Time");
  if (typeof item === "string") {
    const text = rfc3339Text(item);
    return text instanceof Unreadable ? new CborFailure(`cbor: cannot set ${item} for time.Time: ${text.error}`) : text;
  }
  if (typeof item === "bigint" && (item < int64Min || item > int64Max)) return wrongType(item, "time.Time", `${item} overflows Go's int64`);
  const seconds = item instanceof CborFloat ? item.value : Number(item);
  if (Math.abs(seconds) > 2 ** 63) return wrongType(item, "time.Time", `${seconds} overflows Go's int64`);
  const text = epochText(seconds);
  if (!(text instanceof Unreadable)) return text;
  return new CborFailure(`cbor: decoded time cannot be represented in RFC3339 format with sub-second precision: ${text.error}`);
}
