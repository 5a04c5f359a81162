/** Records the elements that the releases of a plugin have promised, and checks that a definition still has them. */
import type { Node } from "../schema.ts";
import { resolve } from "../schema.ts";
import type { Plugin, Resource, Served } from "../plugin.ts";
import type { ReleasedElements, ReleasedField, ReleasedKind } from "../released.ts";
import { compareReleases, serverRelease } from "../releases.ts";
import { type GroupVersion, splitGroupVersion, stageOfVersion } from "../versions.ts";
import { violation } from "./deprecation-policy.ts";
import { valueText } from "../value-text.ts";

/** Returns the elements of a definition as plain data. A struct that contains itself is described once. */
export function releasedElements({ resources = [] }: Pick<Plugin, "resources">): ReleasedElements {
  const elements: Record<GroupVersion, Record<string, ReleasedKind>> = {};
  for (const resource of resources) {
    for (const [groupVersion, served] of Object.entries(resource.served)) {
      (elements[groupVersion] ??= {})[resource.kind] = kindOf(served);
    }
  }
  return elements;
}

function kindOf({ schema, introduced, deprecated, removed, subresources = {}, statusSubresource }: Served): ReleasedKind {
  const hasStatus = statusSubresource !== false && Object.hasOwn(schema.fields, "status");
  const fields: Record<string, ReleasedField> = {};
  addFields(fields, "", schema, new Set());
  return {
    introduced,
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(removed === undefined ? {} : { removed }),
    subresources: [...new Set([...Object.keys(subresources), ...(hasStatus ? ["status"] : [])])].toSorted(),
    fields,
  };
}

/** Adds the fields of a node. `above` are the structs that contain it. */
function addFields(into: Record<string, ReleasedField>, path: string, of: Node, above: ReadonlySet<Node>): void {
  const node = resolve(of);
  if (node.tag === "list") return addFields(into, `${path}[]`, node.of, above);
  if (node.tag === "record") return addFields(into, `${path}{}`, node.of, above);
  if (node.tag === "either") return addFields(into, path, node.object, above);
  if (node.tag !== "struct" || above.has(node)) return;
  const inside = new Set([...above, node]);
  for (const [key, field] of Object.entries(node.fields)) {
    // All kinds have the same metadata, which the server itself keeps compatible.
    if (path === "" && key === "metadata") continue;
    if (field.inline === true) {
      addFields(into, path, field.node, inside);
      continue;
    }
    const at = path === "" ? key : `${path}.${key}`;
    const values = valuesOf(field.node);
    into[at] = { type: typeText(field.node), ...(values === undefined ? {} : { values }), ...(field.required ? { required: true } : {}) };
    addFields(into, at, field.node, inside);
  }
}

/** Returns the type of a node: `string`, `list(struct)`, `record(int32)`. The names of structs are not promised. */
function typeText(of: Node): string {
  const node = resolve(of);
  return node.tag === "list" || node.tag === "record" ? `${node.tag}(${typeText(node.of)})` : node.tag;
}

/** Returns the values of an enumeration, or of a list or map of one. */
function valuesOf(of: Node): readonly string[] | undefined {
  const node = resolve(of);
  if (node.tag === "list" || node.tag === "record") return valuesOf(node.of);
  return node.tag === "string" ? node.oneOf : undefined;
}

/** Returns the released elements that a definition lacks. A removed version and an alpha version may change. */
export function elementMistakes(resources: readonly Resource[], released: ReleasedElements): readonly string[] {
  const now = releasedElements({ resources });
  return Object.entries(released).flatMap(([groupVersion, kinds]) => {
    if (stageOfVersion(splitGroupVersion(groupVersion).version) === "Alpha") return [];
    return Object.entries(kinds).flatMap(([kind, before]) => {
      if (before.removed !== undefined && compareReleases(before.removed, serverRelease) <= 0) return [];
      const after = now[groupVersion]?.[kind];
      return (after === undefined ? [missingText("the kind")] : kindMistakes(before, after)).map((each) =>
        `${kind}: ${groupVersion}: ${each}`
      );
    });
  });
}

function kindMistakes(before: ReleasedKind, after: ReleasedKind): readonly string[] {
  const { removed } = after;
  const isEarlier = removed !== undefined && before.removed !== undefined && compareReleases(removed, before.removed) < 0;
  return [
    ...(isEarlier
      ? [violation("element-removal", `removed in ${removed}, but ${before.removed} was announced`, "keep the announced release")]
      : []),
    ...before.subresources.filter((name) => !after.subresources.includes(name)).map((name) => missingText(`subresource "${name}"`)),
    ...Object.entries(before.fields).flatMap(([path, field]) => {
      const next = after.fields[path];
      return next === undefined ? [missingText(`field "${path}"`)] : fieldMistakes(path, field, next);
    }),
    ...Object.entries(after.fields).filter(([path, { required }]) => required === true && !isRequired(before, path)).map(([path]) =>
      violation(
        "element-removal",
        `field "${path}" is required, but was not in an earlier release`,
        "make it optional, with a default, or require it in a new version",
      )
    ),
  ];
}

/** Whether clients of the earlier release set the field: it was required, or is in an object that did not exist then. */
function isRequired(before: ReleasedKind, path: string): boolean {
  const field = before.fields[path];
  if (field !== undefined) return field.required === true;
  const parent = parentOf(path);
  return parent !== "" && before.fields[parent] === undefined;
}

function parentOf(path: string): string {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf(".")));
  let end = parent.length;
  while (parent.endsWith("[]", end) || parent.endsWith("{}", end)) end -= 2;
  return parent.slice(0, end);
}

function fieldMistakes(path: string, before: ReleasedField, after: ReleasedField): readonly string[] {
  if (before.type !== after.type) {
    return [violation(
      "element-removal",
      `field "${path}" is ${after.type}, and was ${before.type} in an earlier release`,
      "keep the type, and use the other one in a new version",
    )];
  }
  const { values } = after;
  // Without an enumeration, every value is allowed.
  if (values === undefined) return [];
  if (before.values === undefined) {
    return [violation("element-removal", `field "${path}" allowed every value in an earlier release`, "restrict it in a new version")];
  }
  return before.values.filter((value) => !values.includes(value)).map((value) =>
    missingText(`value ${valueText(value)} of field "${path}"`)
  );
}

function missingText(what: string): string {
  return violation("element-removal", `${what} was released and is missing`, "keep it, and leave it out of a new version");
}
