/** Reads the Name of an issuer or subject. */
import { derTag } from "./der.ts";
import { DerReader, type DerValue } from "./der-reader.ts";

/**
 * Attributes in order: dotted type and text. Throws for a string with a character outside its type's alphabet. Values that are not strings
 * are an error in certificates; Go ignores them in certificate requests.
 */
export function readName(name: Uint8Array, others: "error" | "ignored" = "error"): [oid: string, value: string][] {
  const attributes: [string, string][] = [];
  for (const relative = new DerReader(name).inside(); !relative.empty;) {
    for (const set = relative.inside(derTag.set); !set.empty;) {
      const attribute = set.inside();
      const oid = attribute.oid(), value = attribute.any();
      if (others === "error" || alphabets.has(value.tag)) attributes.push([oid, textOf(value)]);
    }
  }
  return attributes;
}

function textOf({ tag, content }: DerValue): string {
  const read = alphabets.get(tag);
  if (read === undefined) throw new Error(`string of tag ${tag} in a name`);
  return read(content);
}

/** A byte order mark is part of the name: dropping it would change the name. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const latin1 = (content: Uint8Array): string => Buffer.from(content).toString("latin1");
const limitedTo = (what: string, pattern: RegExp) => (content: Uint8Array): string => {
  const text = latin1(content);
  if (!pattern.test(text)) throw new Error(`${what} with a character that it cannot have`);
  return text;
};
/** Decodes ASCII text; throws for other bytes. */
export const ia5: (content: Uint8Array) => string = limitedTo("IA5String", /^[\0-\x7f]*$/);

const alphabets: ReadonlyMap<number, (content: Uint8Array) => string> = new Map([
  [derTag.utf8String, (content) => utf8.decode(content)],
  [derTag.numericString, limitedTo("NumericString", /^[0-9 ]*$/)],
  // `*` and `&` are not in the alphabet, but in use: Go accepts them.
  [derTag.printableString, limitedTo("PrintableString", /^[A-Za-z0-9 '()+,\-./:=?*&]*$/)],
  // T.61 is read as ISO 8859-1.
  [derTag.t61String, latin1],
  [derTag.ia5String, ia5],
  [derTag.bmpString, bmp],
]);

function bmp(content: Uint8Array): string {
  if (content.length % 2 !== 0) throw new Error("BMPString of half a character");
  const ended = content.length >= 2 && content.at(-1) === 0 && content.at(-2) === 0;
  let text = "";
  for (let i = 0; i < content.length - (ended ? 2 : 0); i += 2) {
    const point = ((content[i] ?? 0) << 8) | (content[i + 1] ?? 0);
    const surrogate = point >= 0xd800 && point <= 0xdfff;
    if (surrogate || (point >= 0xfdd0 && point <= 0xfdef) || point >= 0xfffe) throw new Error("BMPString with an invalid character");
    text += String.fromCharCode(point);
  }
  return text;
}
