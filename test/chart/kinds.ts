/**
 * A strict check of built-in objects: every field is known and of its type, and required ones are present. The types are those of
 * `@kubernetes/client-node`, which are generated from upstream's OpenAPI.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const models = new URL("../../node_modules/@kubernetes/client-node/dist/gen/models/", import.meta.url);

interface Field {
  readonly type: string;
  readonly required: boolean;
}
type Model = ReadonlyMap<string, Field>;

/** Model names by API group, if they are not version and kind. */
const named: Readonly<Record<string, string>> = { "v1/Event": "CoreV1Event" };

/** The fields of a model; undefined if the package has no such model. */
function model(name: string): Model | undefined {
  const path = fileURLToPath(new URL(`${name}.d.ts`, models));
  if (!/^[A-Za-z0-9]+$/.test(name) || !existsSync(path)) return undefined;
  const text = readFileSync(path, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/\n\s*\n/g, "\n");
  const fields = [...text.matchAll(/^ {4}'([^']+)'(\?)?: ([\s\S]*?);\n(?= {4}['a-z]|\})/gm)];
  return new Map(
    fields.map(([, field = "", optional, type = ""]) => [field.replace(/^_/, ""), { type, required: optional === undefined }]),
  );
}

/** Whether the package has a model of this kind, which `wrongs` needs. */
export function known(apiVersion: string, kind: string): boolean {
  return model(nameOf(apiVersion, kind)) !== undefined && !apiVersion.includes("monitoring") && !apiVersion.includes("cert-manager");
}
function nameOf(apiVersion: string, kind: string): string {
  const version = apiVersion.split("/").at(-1) ?? "";
  return named[`${apiVersion}/${kind}`] ?? `${version.replace("v", "V")}${kind}`;
}

/** The errors of an object, one per line. */
export function wrongs(object: { readonly apiVersion: string; readonly kind: string }): readonly string[] {
  return check(object, nameOf(object.apiVersion, object.kind), object.kind);
}

function check(value: unknown, type: string, path: string): readonly string[] {
  const [, item] = /^Array<(.*)>$/.exec(type) ?? [];
  if (item !== undefined) {
    return Array.isArray(value) ? value.flatMap((each, at) => check(each, item, `${path}[${at}]`)) : [`${path}: ${show(value)} is no list`];
  }
  const [, of] = /^\{ ?\[key: string\]: (.*);? ?\}$/s.exec(type.replaceAll(/\s+/g, " ")) ?? [];
  if (of !== undefined) {
    return isObject(value)
      ? Object.entries(value).flatMap(([key, each]) => check(each, of.replace(/;\s*$/, "").trim(), `${path}[${key}]`))
      : [`${path}: ${show(value)} is no map`];
  }
  switch (type) {
    case "any":
      return [];
    case "string":
    case "number":
    case "boolean":
      return type === typeOf(value) ? [] : [`${path}: ${show(value)} is no ${type}`];
    case "IntOrString":
      return typeof value === "string" || Number.isInteger(value) ? [] : [`${path}: ${show(value)} is no number and no string`];
    case "Date":
      return typeof value === "string" && !Number.isNaN(Date.parse(value)) ? [] : [`${path}: ${show(value)} is no time`];
  }
  const fields = model(type);
  if (fields === undefined) return [`${path}: the type "${type}" is not known`];
  if (!isObject(value)) return [`${path}: ${show(value)} is no ${type}`];
  const missing = [...fields].filter(([name, { required }]) => required && value[name] === undefined).map(([name]) =>
    `${path}.${name} is missing`
  );
  const given = Object.entries(value).flatMap(([name, each]) => {
    const field = fields.get(name);
    return field === undefined ? [`${path}.${name} is no field of ${type}`] : check(each, field.type, `${path}.${name}`);
  });
  return [...missing, ...given];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function typeOf(value: unknown): string {
  return typeof value;
}
function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
