/** One item in the form and encoding of a reply. A reply has it as its body, a watch in a frame. */
import { prettyJson } from "../../core/tree/json-text.ts";
import { PartialObjectMetadata } from "../../core/meta/partial-object-metadata.ts";
import { binaryDocument, isBinary } from "../objects/binary.ts";
import type { BodyPart } from "../objects/chunks.ts";
import type { Item } from "../objects/objects.ts";
import { servedJson, servedObject } from "../objects/served.ts";
import type { RequestContext } from "../request-context.ts";
import { type Form, isStoredText } from "./form.ts";
import { partial, partialText } from "./metadata.ts";
import { tableText } from "./table.ts";
import { yamlOf } from "../../core/codec/yaml-reply.ts";

const lineEnd = new TextEncoder().encode("\n");
const toText = new TextDecoder();

/** The body of a reply that is one item, in parts. */
export function objectParts(call: RequestContext, form: Form, item: Item): readonly BodyPart[] {
  if (isStoredText(call, form)) return [...item.pieces, lineEnd];
  const document = documentOf(call, form, item, true);
  return isBinary(call.output.encoding) ? [document] : textParts(call, document);
}

/**
 * A binary document, or compact JSON without a final newline, also where the encoding is YAML.
 *
 * `withColumns`: whether a table has the column definitions; watches send them with the first row only.
 */
export function documentOf(call: RequestContext, form: Form, item: Item, withColumns: boolean): BodyPart {
  const { endpoint, output: { encoding } } = call;
  switch (form.as) {
    case "table": // There is no binary table.
      return tableText(call, form, item, withColumns);
    case "metadata":
      return isBinary(encoding)
        ? binaryDocument(encoding, PartialObjectMetadata, partial(call, item, form.version))
        : partialText(call, item, form.version);
    case "object":
      return isBinary(encoding) ? binaryDocument(encoding, endpoint.schema, servedObject(endpoint, item)) : servedJson(endpoint, item);
  }
}

/** JSON text in the negotiated encoding. Indented JSON has no final newline. */
export function textParts(call: Pick<RequestContext, "output" | "pretty">, json: BodyPart): readonly BodyPart[] {
  if (call.output.encoding === "yaml") return [yamlOf(textOf(json))];
  return call.pretty ? [prettyJson(textOf(json))] : [json, lineEnd];
}

export function textOf(part: BodyPart): string {
  return typeof part === "string" ? part : toText.decode(part);
}
