/** Makes values of claims and users, as expressions see them. */
import type { Json, JsonObject } from "../../core/schema.ts";
import { unescapeName } from "../schema/escape.ts";
import { JsonMap } from "../value/json.ts";
import { ListValue, MapValue, type Value } from "../values.ts";

/**
 * Makes the value of decoded JSON. All numbers are doubles, as upstream decodes claims. A name with escapes finds the member that it stands
 * for: `claims.a__dot__b` is the claim `a.b`.
 */
export function valueOfClaims(json: Json): Value {
  if (typeof json !== "object" || json === null) return typeof json === "bigint" ? Number(json) : json;
  return Array.isArray(json) ? new ClaimList(json as readonly Json[]) : new ClaimMap(json as JsonObject);
}

class ClaimList extends ListValue {
  readonly #items: readonly Json[];
  constructor(items: readonly Json[]) {
    super();
    this.#items = items;
  }
  override get size(): number {
    return this.#items.length;
  }
  override at(index: number): Value {
    return valueOfClaims(this.#items[index]!);
  }
}

class ClaimMap extends MapValue {
  readonly #members: JsonMap;
  constructor(object: JsonObject) {
    super();
    this.#members = new JsonMap(object);
  }
  override get size(): number {
    return this.#members.size;
  }
  override find(key: Value): Value | undefined {
    const { object } = this.#members;
    const name = typeof key === "string" ? unescapeName(key) ?? key : undefined;
    return name === undefined || !Object.hasOwn(object, name) ? undefined : valueOfClaims(object[name]!);
  }
  override keys(): Iterable<Value> {
    return this.#members.keys();
  }
}
