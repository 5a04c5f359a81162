/** Checks configurations that are merged without ownership, such as those of mutating policies. */
import { isObject, type Json } from "../schema.ts";
import { type Atom, memberAtom, oneValue, type ScalarType } from "./atom.ts";
import { isList } from "./items.ts";

/**
 * Returns the paths of the values in a configuration that would be replaced as a whole: upstream rejects them, because the fields that the
 * configuration does not mention would be lost.
 */
export function atomicPaths(atom: Atom, configuration: Json): readonly string[] {
  const found: string[] = [];
  collectAtomic(atom, configuration, "", found);
  return found;
}

function collectAtomic(atom: Atom, value: Json, path: string, found: string[]): void {
  if (atom === oneValue) return;
  if (isList(value)) {
    const { list } = atom;
    if (list === undefined) return;
    if (list.type === "atomic") found.push(path);
    for (const [index, item] of value.entries()) collectAtomic(list.of, item, `${path}[${index}]`, found);
  } else if (isObject(value)) {
    const { map } = atom;
    if (map === undefined) return;
    if (map.atomic) found.push(path);
    for (const key of Object.keys(value)) {
      const field = map.fields?.get(key);
      if (field !== undefined) collectAtomic(field.atom, value[key]!, `${path}.${key}`, found);
    }
  }
}

/** A value that is not JSON, as Go prints it with `%#v`, `%v` and `%T`. */
interface Printed {
  readonly path: readonly (string | number)[];
  readonly syntax: string;
  readonly text: string;
  readonly type: string;
}

const expected: Readonly<Record<ScalarType, (printed: Printed) => string>> = Object.freeze({
  string: ({ syntax }: Printed) => `expected string, got &value.valueUnstructured{Value:${syntax}}`,
  numeric: ({ type }: Printed) => `expected numeric (int or float), got ${type}`,
  boolean: ({ text }: Printed) => `expected boolean, got &{${text}}`,
  untyped: ({ text }: Printed) => `expected any scalar, got &{${text}}`,
});

/** Returns the error of a value that is not JSON, in upstream's format. */
export function foreignProblem(root: Atom, printed: Printed): string {
  let atom = root, path = "";
  for (const part of printed.path) {
    if (typeof part === "number") {
      const { list } = atom;
      if (list === undefined) break;
      if (list.type === "map") return `${path}: element ${part}: associative list with keys may not have non-map elements`;
      path += list.type === "set" ? "[={{undefined}}]" : `[${part}]`;
      atom = list.of;
    } else {
      const inner = atom.map === undefined ? undefined : memberAtom(atom.map, part);
      path += `.${part}`;
      if (inner === undefined) return `${path}: field not declared in schema`;
      atom = inner;
    }
  }
  const { scalar, map } = atom;
  const what = map !== undefined
    ? `expected map, got &{${printed.text}}`
    : scalar !== undefined
    ? expected[scalar](printed)
    : `expected list, got &{${printed.text}}`;
  return `${path}: ${what}`;
}
