/** docs/schema-language.md: every constructor of a schema and every option of a field, from the docstrings and the tested examples. */
import { readFileSync } from "node:fs";
import { parse } from "@babel/parser";
import { openapiSchemas } from "../../core/derive/openapi.ts";
import { defaultNames } from "../../core/names.ts";
import { struct } from "../../core/schema.ts";
import * as contract from "../../plugin.ts";
import { docOf, type Node, signature } from "./plugin-reference.ts";
import { type Example, examples } from "./schema-examples.ts";

const intro = `# The schema language

A kind is described once, as a tree of nodes. Decoding, defaults, validation, OpenAPI, \`kubectl explain\`, rules in CEL, protobuf, server-side apply and the
TypeScript type of its objects are made from this tree. \`npm run docs\` makes this page from the docstrings of \`core/schema.ts\` and \`core/schema-options.ts\`; a test runs its examples.

Import the names from \`thole/plugin\`, and those with a note from \`thole/plugin/toolbox\`. [Writing a plugin](writing-a-plugin.md) shows a whole kind.

What holds for all types:

- JSON is the form of requests and of hooks: what a hook gets is what JSON would have, with defaults.
- The zero value of a type (\`0\`, \`""\`, \`false\`, an empty list) is the same as an absent field, and JSON omits it. A field with \`pointer\`, \`default\` or
  \`unpublishedDefault\` differs: there a zero value that was sent stays.
- \`null\` is the same as an absent field.
- A value of a wrong type is refused with 400 before any hook runs. The errors of \`checker\`, of bounds in \`publish\` and of \`rules\` are 422 with the path of the
  field. The hooks \`create\` and \`update\` call \`checker\`; bounds and rules are checked without a call.
- \`defineResource\` reports what the types cannot see, such as a field number that is used twice, in one error.

The tables show the spec that a client sends, and the spec of the answer or the error.
`;

/** In the order of the page. The others, \`structural\` and \`fieldsV1\`, are not for plugins. */
export const constructors: readonly string[] = Object.freeze([
  "object",
  "struct",
  "structsOf",
  "boolean",
  "string",
  "oneOf",
  "named",
  "int32",
  "int64",
  "double",
  "quantity",
  "intOrString",
  "bytes",
  "time",
  "microTime",
  "duration",
  "list",
  "setOf",
  "mapBy",
  "plainList",
  "record",
  "atomicRecord",
  "lazy",
  "either",
  "raw",
  "anyJson",
]);

interface Declared {
  readonly text: string;
  readonly node: Node;
  readonly declaration: NonNullable<Node["declaration"]>;
}

/** The text of the page. */
export function schemaPage(): string {
  const declared = new Map(["core/schema.ts", "core/schema-options.ts", "core/meta/object.ts"].flatMap(declarationsOf));
  const sources = sourcesOf();
  return [
    intro,
    ...constructors.map((name) => constructorSection(name, declared.get(name)!, sources.get(name)!)),
    "## field",
    "",
    docOf(declared.get("field")!.node).replace(/\n\n@/, "\n\n- @").replaceAll(/(?<=\n)@/g, "- @").replaceAll(/@param (\w+) /g, "`$1`: "),
    "",
    "## Options of a field",
    "",
    ...membersOf(declared.get("FieldOptions")!),
    "",
    "## Options of a struct",
    "",
    ...membersOf(declared.get("StructOptions")!),
    "",
  ].join("\n");
}

/** The exported declarations of a file by name. */
function declarationsOf(file: string): readonly (readonly [string, Declared])[] {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  return bodyOf(text).flatMap((node) => {
    const { declaration } = node, name = declaration?.id?.name ?? declaration?.declarations?.[0]?.id.name;
    return declaration === undefined || declaration === null || name === undefined ? [] : [[name, { text, node, declaration }] as const];
  });
}

function bodyOf(text: string): readonly Node[] {
  return (parse(text, { sourceType: "module", plugins: ["typescript"] }).program as unknown as { readonly body: readonly Node[] }).body;
}

function membersOf({ text, declaration }: Declared): readonly string[] {
  return (declaration.body?.body ?? []).map((member) => `- \`${signature(text, member)}\`  \n  ${docOf(member).replaceAll("\n", "\n  ")}`);
}

function constructorSection(name: string, { node, declaration, text }: Declared, source: string): string {
  const example = examples[name]!;
  return [
    `## ${name}`,
    "",
    `\`${signatureOf(text, declaration, name)}\``,
    "",
    ...(Object.hasOwn(contract, name) ? [] : ["From `thole/plugin/toolbox`.", ""]),
    docOf(node).replaceAll(/(?<=\n)@param (\w+) /g, "- `$1`: "),
    "",
    "```ts",
    source,
    "```",
    "",
    ...openapiOf(example),
    "| sent | answer |\n|---|---|",
    ...example.cases.map(([sent, answer]) =>
      `| \`${sent}\` | ${/^[0-9]/.test(answer) ? answer.replaceAll("|", "\\|").replaceAll("<", "\\<") : `\`${answer}\``} |`
    ),
    "",
  ].join("\n");
}

/** The parameters of a constructor, or the type of a constant. */
function signatureOf(text: string, declaration: Declared["declaration"], name: string): string {
  const { body, declarations } = declaration;
  const code = declarations === undefined
    ? text.slice(declaration.start, body!.start)
    : text.slice(declarations[0]!.id.start, declarations[0]!.id.end);
  return code.replace(/^function /, "").replaceAll(/\s+/g, " ").replaceAll("( ", "(").replaceAll(", )", ")").trim() || name;
}

/** What OpenAPI version 3 publishes for the first field of an example, without its description. */
function openapiOf({ fields }: Example): readonly string[] {
  if (fields === undefined) return [];
  const root = struct("Example", { ...fields }), options = { version: "v3", names: defaultNames } as const;
  const [key] = Object.keys(fields);
  const published = openapiSchemas([{ node: root, home: "example.com/v1" }], options)["com.example.v1.Example"]!;
  const { description: _, ...schema } = (published["properties"] as Readonly<Record<string, object & { description?: string }>>)[key!]!; // a struct has properties
  return [`OpenAPI: \`${JSON.stringify(schema)}\``, ""];
}

interface Literal {
  readonly start: number;
  readonly end: number;
  readonly properties?: readonly { readonly key: { readonly name: string }; readonly value: Literal }[];
}

/** The source text of the fields of each example, after the declarations that they use. */
function sourcesOf(): ReadonlyMap<string, string> {
  const text = readFileSync(new URL("schema-examples.ts", import.meta.url), "utf8"), body = bodyOf(text);
  const table = body.flatMap(({ declaration }) => declaration?.declarations ?? []).find(({ id }) => id.name === "examples");
  const rows = (table?.init as Literal | undefined)?.properties ?? [];
  const shared = body.filter(({ type }) => type === "VariableDeclaration" || type === "TSInterfaceDeclaration")
    .map(({ start, end }) => text.slice(start, end));
  return new Map(rows.map(({ key, value }) => {
    const { start, end } = value.properties![0]!.value; // each example has fields or a schema
    const code = text.slice(start, end).split("\n").map((line) => line.replace(/^ {4}/, "")).join("\n");
    return [key.name, [...usedIn(code, shared), code].join("\n")];
  }));
}

/** The declarations whose names a text has, and those whose names these have. */
function usedIn(code: string, shared: readonly string[]): readonly string[] {
  const nameOf = (each: string) => each.match(/^(?:const|interface) ([A-Za-z]+)/)?.[1] ?? "";
  let used: readonly string[] = [], size = -1;
  while (used.length > size) {
    size = used.length;
    const words = new Set([code, ...used].flatMap((each) => each.match(/[A-Za-z]+/g) ?? []));
    used = shared.filter((each) => words.has(nameOf(each)));
  }
  return used;
}
