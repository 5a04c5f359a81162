/** Values as the recorded cases have them: tagged JSON. */
import { base64Of } from "../../core/scalars/base64.ts";
import { quantityText } from "../../core/scalars/quantity.ts";
import type { Json } from "../../core/json.ts";
import { addressText, prefixText } from "../../core/net/address.ts";
import { CidrValue } from "../../cel/functions/net/cidr.ts";
import { IpValue } from "../../cel/functions/net/ip.ts";
import { QuantityValue } from "../../cel/functions/quantity/quantity.ts";
import { semverText } from "../../cel/functions/semver/parse.ts";
import { SemverValue } from "../../cel/functions/semver/semver.ts";
import { urlText } from "../../core/net/url/parse.ts";
import { UrlValue } from "../../cel/functions/url/url.ts";
import { JsonPatchValue, objectJson, PatchObject } from "../../cel/mutation/types.ts";
import { timestampText } from "../../cel/value/time.ts";
import { typeName } from "../../cel/value/type.ts";
import {
  CelError,
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../../cel/values.ts";
import { byText } from "./rule-case.ts";

/** The tagged form of a value. */
export function tagged(value: Value): Json {
  if (value === null) return { null: true };
  if (typeof value === "boolean") return { bool: value };
  if (typeof value === "bigint") return { int: String(value) };
  if (typeof value === "number") return { double: Object.is(value, -0) ? "-0" : String(value) };
  if (typeof value === "string") return { string: value };
  if (value instanceof ListValue) return { list: items(value) };
  if (value instanceof MapValue) {
    return { map: [...value.keys()].map((key): Json => [tagged(key), tagged(value.find(key)!)]).sort(byText) };
  }
  return taggedOther(value);
}

function items(list: ListValue): readonly Json[] {
  return Array.from({ length: list.size }, (_, index) => tagged(list.at(index)));
}

function taggedOther(value: Exclude<Value, null | boolean | bigint | number | string | ListValue | MapValue>): Json {
  if (value instanceof Uint8Array) return { bytes: base64Of(value) };
  if (value instanceof Uint) return { uint: String(value.value) };
  if (value instanceof Timestamp) return { timestamp: timestampText(new Timestamp(value.seconds, value.nanos)) };
  if (value instanceof Duration) return { duration: durationSeconds(value.nanoseconds) };
  if (value instanceof TypeValue) return { type: typeName(value.type) };
  if (value instanceof OptionalValue) return { optional: value.value === undefined ? null : tagged(value.value) };
  if (value instanceof CelError) return { error: value.message };
  if (value instanceof PatchObject) {
    const json = objectJson(value);
    return json instanceof CelError ? { object: value.type, error: json.message } : { object: value.type, json };
  }
  return taggedAbstract(value);
}

function taggedAbstract(value: OpaqueValue | ObjectValue): Json {
  // A sum has no text in the records.
  if (value instanceof QuantityValue && !value.computed) return { quantity: quantityText(value.exact.amount) };
  if (value instanceof IpValue) return { ip: addressText(value.address) };
  if (value instanceof CidrValue) return { cidr: prefixText(value.prefix) };
  if (value instanceof UrlValue) return { url: urlText(value.url) };
  if (value instanceof SemverValue) return { semver: semverText(value.version) };
  if (value instanceof JsonPatchValue) {
    const { op, from, path, value: inner } = value;
    return { jsonPatch: { op, path, ...(from === "" ? {} : { from }), ...(inner === undefined ? {} : { value: tagged(inner) }) } };
  }
  return value.type === "kubernetes.variables" ? { map: [] } : { opaque: value.type };
}

function durationSeconds(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = String(size % 1_000_000_000n).padStart(9, "0").replace(/0+$/, "");
  return `${nanoseconds < 0n ? "-" : ""}${size / 1_000_000_000n}${fraction === "" ? "" : `.${fraction}`}s`;
}
