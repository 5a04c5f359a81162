import { append } from "../append.ts";
import { type Field, type ListNode, resolve, type StructNode, structsIn } from "../schema.ts";
import { boundMistakes } from "./published-bounds.ts";
import { defaultMistakes } from "./defaults.ts";

/** Protobuf's largest field number. A field with the number 0 has no protobuf form. */
const fieldNumberMax = 2 ** 29 - 1;
const reservedFrom = 19_000;
const reservedTo = 19_999;

/** Structs of frozen definitions that have no mistakes. Kinds share structs, and a plugin checks its resources again for their gates. */
const correct = new WeakSet<StructNode>();

/** The structs with gates in frozen schemas that have no mistakes, by the root: all that is left to check for a plugin. */
const gatedIn = new WeakMap<StructNode, readonly StructNode[]>();

/** Remembers that the frozen structs of a schema have no mistakes, except that their gates have not been checked. */
export function rememberCorrect(root: StructNode): void {
  const structs = structsIn(root), frozen = structs.filter((struct) => Object.isFrozen(struct));
  for (const struct of frozen) correct.add(struct);
  if (frozen.length === structs.length) gatedIn.set(root, structs.filter(hasGates));
}

/** Returns all mistakes of a schema. Each struct is checked once. `gates` are the gates of the plugin; undefined skips their check. */
export function schemaMistakes(root: StructNode, gates: ReadonlySet<string> | undefined): readonly string[] {
  return (gatedIn.get(root) ?? structsIn(root)).flatMap((struct) => [
    ...(correct.has(struct) ? [] : structMistakes(struct)),
    ...gateMistakes(struct, gates),
  ]);
}

function hasGates({ fields, gatedDefaults = {} }: StructNode): boolean {
  return Object.keys(gatedDefaults).length > 0 || Object.values(fields).some(({ gate }) => gate !== undefined);
}

function gateMistakes(struct: StructNode, gates: ReadonlySet<string> | undefined): readonly string[] {
  if (gates === undefined) return [];
  const mistakes: string[] = [];
  for (const [key, { gate }] of Object.entries(struct.fields)) {
    if (gate !== undefined && !gates.has(gate)) {
      mistakes.push(`${struct.name}.${key}: feature gate "${gate}" is not declared by the plugin`);
    }
  }
  for (const gate of Object.keys(struct.gatedDefaults ?? {})) {
    if (!gates.has(gate)) mistakes.push(`struct "${struct.name}": feature gate "${gate}" of its defaults is not declared by the plugin`);
  }
  return mistakes;
}

function structMistakes(struct: StructNode): readonly string[] {
  const mistakes: string[] = [];
  if (!/^[A-Z][A-Za-z0-9]*$/.test(struct.name)) mistakes.push(`struct "${struct.name}": the name is not in upper camel case`);
  const numbers = new Map<number, string>();
  for (const [key, field] of Object.entries(struct.fields)) {
    const path = `${struct.name}.${key}`;
    const other = numbers.get(field.number);
    if (other !== undefined && field.number !== 0) {
      mistakes.push(`${path}: field number ${field.number} is used by ${struct.name}.${other}`);
    }
    numbers.set(field.number, key);
    append(mistakes, fieldMistakes(field, path));
  }
  const union = struct.union === undefined ? [] : [struct.union.discriminator, ...Object.keys(struct.union.members)];
  for (const key of union.filter((each) => !hasField(struct, each))) {
    mistakes.push(`struct "${struct.name}": "${key}" of its union is not a field`);
  }
  return mistakes;
}

function fieldMistakes(field: Field, path: string): readonly string[] {
  const mistakes: string[] = [];
  const node = resolve(field.node);
  if (!Number.isInteger(field.number) || field.number < 0 || field.number > fieldNumberMax) {
    mistakes.push(`${path}: field number ${field.number} is not between 0 and ${fieldNumberMax}`);
  } else if (field.number >= reservedFrom && field.number <= reservedTo) {
    mistakes.push(`${path}: field number ${field.number} is reserved by protobuf`);
  }
  // A schema of a custom resource has its own descriptions, and may have none.
  if (field.doc.trim() === "" && node.tag !== "structural") mistakes.push(`${path}: the field has no description`);
  if (field.pointer && (node.tag === "list" || node.tag === "record")) mistakes.push(`${path}: lists and records are never pointers`);
  if (field.inline && node.tag !== "struct") mistakes.push(`${path}: only a struct can be inline`);
  for (const value of [field.default, field.unpublishedDefault]) {
    if (value !== undefined) append(mistakes, defaultMistakes(field.node)(value, path));
  }
  if (field.default !== undefined && field.unpublishedDefault !== undefined) mistakes.push(`${path}: it has two defaults`);
  if (field.zeroIsAbsent && (field.pointer || (field.default ?? field.unpublishedDefault) === undefined)) {
    mistakes.push(`${path}: zeroIsAbsent is for fields with a default that are no pointers`);
  }
  append(mistakes, boundMistakes(field, path));
  if (node.tag === "list") append(mistakes, listMistakes(node, field, path));
  else if (field.patch?.mergeKey !== undefined) mistakes.push(`${path}: only a list has a merge key`);
  return mistakes;
}

function listMistakes(node: ListNode, field: Field, path: string): readonly string[] {
  const mistakes: string[] = [];
  const element = resolve(node.of);
  if (node.type === "set" && (element.tag === "record" || (element.tag === "struct" && !element.atomic))) {
    mistakes.push(`${path}: the elements of a set are scalars, or structs that are atomic`);
  }
  if (node.type === "map" && (node.keys ?? []).length === 0) mistakes.push(`${path}: a map list needs keys`);
  const mergeKey = field.patch?.mergeKey;
  for (const key of [...node.keys ?? [], ...mergeKey === undefined ? [] : [mergeKey]]) {
    if (element.tag !== "struct") mistakes.push(`${path}: list key "${key}" needs elements that are structs`);
    else if (!hasField(element, key)) mistakes.push(`${path}: list key "${key}" is not a field of ${element.name}`);
  }
  return mistakes;
}

/** Whether the JSON of the struct has the key, including keys of inlined structs. */
function hasField(struct: StructNode, key: string): boolean {
  if (Object.hasOwn(struct.fields, key)) return struct.fields[key]!.inline !== true;
  return Object.values(struct.fields).some((field) => {
    const node = resolve(field.node);
    return field.inline === true && node.tag === "struct" && hasField(node, key);
  });
}
