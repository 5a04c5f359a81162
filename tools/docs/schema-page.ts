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

You describe a kind once, as a tree of nodes. The server makes decoding, defaults, validation, OpenAPI, \`kubectl explain\`, protobuf and server-side apply from
it, and TypeScript the type of its objects. This page has every type of a field, with an example that a test runs, and every option.

\`\`\`ts
${
  readFileSync(new URL("schema-opening.ts", import.meta.url), "utf8").split("\n").slice(1).join("\n").replace(
    "../../plugin.ts",
    "thole/plugin",
  )
}\`\`\`

A field has a protobuf number, a type, a description and options. Import the types from \`thole/plugin\`, and those that the table marks from \`thole/plugin/toolbox\`.
[Writing a plugin](writing-a-plugin.md) shows what else a kind needs. \`npm run docs\` makes this page from the docstrings of \`core/schema.ts\` and
\`core/schema-options.ts\`.
`;

const rules = `What holds for all types:

- Hooks get objects in their JSON form, with defaults.
- The zero value of a type (\`0\`, \`""\`, \`false\`, an empty list) is the same as an absent field, and JSON omits it. A field with \`pointer\`, \`default\` or
  \`unpublishedDefault\` is different: a zero value that a client sends stays.
- \`null\` is the same as an absent field.
- The server rejects a value of a wrong type with 400 before any hook runs. It checks bounds in \`publish\` and \`rules\` itself, and rejects with 422 and the path
  of the field.
- \`checker(schema)\` makes a function that checks the rest: required fields, enumerations and repeated items. Call it in the hooks \`create\` and \`update\` of the
  resource, as [Writing a plugin](writing-a-plugin.md) does.
- \`defineResource\` throws one error that lists every mistake of a schema that TypeScript cannot see, such as a field number that is used twice.

The tables of the examples show the \`spec\` that a client sends, and the \`spec\` of the response or its error.
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
    "| type | meaning |\n|---|---|",
    ...constructors.map((name) =>
      `| [\`${name}\`](#${name.toLowerCase()})${Object.hasOwn(contract, name) ? "" : " (toolbox)"} | ${
        firstSentence(declared.get(name)!)
      } |`
    ),
    "",
    rules,
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

/** The first sentence of a docstring, in one line. */
function firstSentence({ node }: Declared): string {
  return docOf(node).replaceAll(/\s+/g, " ").split(/ @param|(?<=\.) (?=[A-Z`])/)[0]!;
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
