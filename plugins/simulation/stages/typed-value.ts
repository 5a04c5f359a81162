/**
 * Pods and Nodes as expressions in CEL see them: as values of Go's types, as in kwok. A field that is absent reads as the empty value of its type; `has()`
 * says whether it is there. Times and quantities have CEL types of their own. Objects of other kinds are seen as JSON.
 */
import { keysOfJson, valueOfJson } from "../../../cel/value/json.ts";
import { timestampOf } from "../../../cel/value/time.ts";
import { CelError, ListValue, MapValue, ObjectValue, Timestamp, type Value } from "../../../cel/values.ts";
import type { Json, JsonObject } from "../../../core/json.ts";
import { type Field, type Node, type StructNode } from "../../../toolbox.ts";
import { nodes } from "../../nodes/mod.ts";
import { pods } from "../../pods/mod.ts";
import { quantityOf } from "./quantity-operators.ts";

/** Go's zero time, 0001-01-01T00:00:00Z. */
const zeroTime = new Timestamp(-62_135_596_800n, 0);

/** Returns the value of an object. */
export function valueOfObject(object: Json): Value {
  const { apiVersion, kind } = object as JsonObject; // objects of the API
  const schema = apiVersion !== "v1"
    ? undefined
    : kind === "Pod"
    ? pods.served["v1"]?.schema
    : kind === "Node"
    ? nodes.served["v1"]?.schema
    : undefined;
  return schema === undefined ? valueOfJson(object) : valueOf(object, schema, false);
}

/** The value of a node; without JSON, the empty value: null behind a pointer. */
function valueOf(json: Json | undefined, node: Node, isPointer: boolean): Value {
  if (node.tag === "lazy") return valueOf(json, node.get(), isPointer);
  const isAbsent = json === undefined || json === null;
  if (node.tag === "time" || node.tag === "microTime") return typeof json === "string" ? timeOf(json) : zeroTime;
  if (node.tag === "quantity") return quantityOf(isAbsent ? "0" : String(json));
  if (node.tag === "list") return new TypedList(isAbsent ? [] : json as readonly Json[], node.of);
  if (node.tag === "record") return new TypedRecord(isAbsent ? {} : json as JsonObject, node.of);
  if (node.tag === "struct") return isAbsent && isPointer ? null : new TypedStruct(isAbsent ? {} : json as JsonObject, node);
  if (!isAbsent) return valueOfJson(json);
  return isPointer ? null : empty[node.tag] ?? null;
}

const empty: Readonly<Partial<Record<Node["tag"], Value>>> = {
  boolean: false,
  string: "",
  int32: 0n,
  int64: 0n,
  double: 0,
  intOrString: 0n,
};

function timeOf(text: string): Value {
  return timestampOf(text) ?? new CelError(`"${text}" is no time`);
}

class TypedStruct extends ObjectValue {
  readonly #json: JsonObject;
  readonly #node: StructNode;
  constructor(json: JsonObject, node: StructNode) {
    super();
    this.#json = json;
    this.#node = node;
  }
  get type(): string {
    return this.#node.name;
  }
  override has(name: string): boolean | CelError {
    if (this.#find(name) === undefined) return noField(name);
    const json = this.#memberOf(name);
    return json !== undefined && json !== null && json !== "" && json !== 0 && json !== false;
  }
  override get(name: string): Value {
    const field = this.#find(name);
    return field === undefined ? noField(name) : valueOf(this.#memberOf(name), field.node, field.pointer === true);
  }
  #memberOf(name: string): Json | undefined {
    return Object.hasOwn(this.#json, name) ? this.#json[name] : undefined;
  }
  #find(name: string): Field | undefined {
    if (name === "kind" || name === "apiVersion") return undefined;
    return fieldOf(this.#node, name);
  }
}

const noField = (name: string): CelError => new CelError(`no such field '${name}'`);

/** The field of a struct, or of a struct that is inlined in it. */
function fieldOf({ fields }: StructNode, name: string): Field | undefined {
  if (Object.hasOwn(fields, name) && fields[name]!.inline !== true) return fields[name];
  for (const { inline, node } of Object.values(fields)) {
    const found = inline === true && node.tag === "struct" ? fieldOf(node, name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

class TypedRecord extends MapValue {
  readonly #json: JsonObject;
  readonly #of: Node;
  constructor(json: JsonObject, of: Node) {
    super();
    this.#json = json;
    this.#of = of;
  }
  override get size(): number {
    return this.keys().length;
  }
  override find(key: Value): Value | undefined {
    if (this.contains(key)) return valueOf(this.#json[key as string], this.#of, false); // the key is in the object
    return this.#of.tag === "quantity" ? quantityOf("0") : undefined;
  }
  override keys(): readonly string[] {
    return keysOfJson(this.#json);
  }
  override contains(key: Value): boolean {
    return typeof key === "string" && Object.hasOwn(this.#json, key);
  }
}

class TypedList extends ListValue {
  readonly #json: readonly Json[];
  readonly #of: Node;
  constructor(json: readonly Json[], of: Node) {
    super();
    this.#json = json;
    this.#of = of;
  }
  override get size(): number {
    return this.#json.length;
  }
  override at(index: number): Value {
    return valueOf(this.#json[index], this.#of, false);
  }
}
