/** docs/plugin-reference.md: every hook of the plugin contract, from the docstrings of core/plugin.ts. */
import { readFileSync } from "node:fs";
import { parse } from "@babel/parser";

/** What the pages need of a node of the syntax tree. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly leadingComments?: readonly { readonly value: string }[];
  readonly declaration?: Node & {
    readonly id: { readonly name: string };
    readonly body?: { readonly start: number; readonly body: readonly Node[] };
    readonly declarations?: readonly { readonly id: Node & { readonly name: string }; readonly init?: Node }[];
  };
}

/** Types in the order of a plugin's life; the others in order of the source. */
const first = [
  "Plugin",
  "Resource",
  "Strategy",
  "Served",
  "Subresource",
  "SubresourceView",
  "SubresourceAction",
  "SubresourceKind",
  "HookContext",
  "RequestHookContext",
  "Caller",
  "Access",
  "Reader",
  "Admission",
  "AdmissionServer",
  "AuditBackendDefinition",
  "AuthenticatorDefinition",
  "OpenedAuthenticator",
  "RequestToAuthenticate",
  "TokenToAuthenticate",
  "AuthorizerDefinition",
  "Authorizer",
  "StartHook",
  "Controller",
  "ControllerNeed",
  "ControllerContext",
  "Api",
  "HealthCheck",
];

const files = Object.freeze([
  "plugin.ts",
  "hook-context.ts",
  "subresource.ts",
  "controller.ts",
  "api.ts",
  "access.ts",
  "authentication.ts",
  "audit/backend.ts",
  "audit/event.ts",
  "user-info.ts",
]);

const intro = `# Plugin reference

Every type of the plugin contract with its members, made from the docstrings of ${
  new Intl.ListFormat("en-GB").format(files.map((file) => `\`core/${file}\``))
} by \`npm run docs\`.
[Writing a plugin](writing-a-plugin.md) has an example of each part, in the order in which they run. Types are imported from \`thole/plugin\` if their section names
no other module.
`;

/** The names in braces that a module at the top exports. */
function exportsOf(file: string): ReadonlySet<string> {
  const found = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return new Set([...found].flatMap(([, names = ""]) => names.split(",").map((each) => each.trim().replace(/^type /, ""))));
}

/** The text of the page. */
export function pluginReference(): string {
  const toolbox = exportsOf("toolbox.ts");
  const sections = new Map(files.flatMap((file) => sectionsOf(file, toolbox)));
  const names = [...first.filter((name) => sections.has(name)), ...[...sections.keys()].filter((name) => !first.includes(name))];
  return [intro, ...names.map((name) => sections.get(name)!)].join("\n");
}

/** The sections of a file's exported interfaces and types, by name. Functions and values have none. `toolbox`: names of that module. */
function sectionsOf(file: string, toolbox: ReadonlySet<string>): readonly (readonly [name: string, section: string])[] {
  const text = readFileSync(new URL(`../../core/${file}`, import.meta.url), "utf8");
  const { body } = parse(text, { sourceType: "module", plugins: ["typescript"] }).program as unknown as { readonly body: readonly Node[] };
  return body.flatMap((node) => {
    const { declaration } = node;
    const isType = declaration?.type === "TSInterfaceDeclaration" || declaration?.type === "TSTypeAliasDeclaration";
    if (node.type !== "ExportNamedDeclaration" || declaration?.id === undefined || !isType) return [];
    return [[declaration.id.name, section(text, node, declaration, toolbox)]];
  });
}

function section(text: string, node: Node, declaration: NonNullable<Node["declaration"]>, toolbox: ReadonlySet<string>): string {
  const members = declaration.body?.body ?? [];
  const lines = members.map((member) => {
    const doc = docOf(member);
    return `- \`${signature(text, member)}\`${doc === "" ? "" : `  \n  ${doc.replaceAll("\n", "\n  ")}`}`;
  });
  const type = declaration.type === "TSTypeAliasDeclaration" ? [`\`${signature(text, declaration)}\``, ""] : [];
  const module = toolbox.has(declaration.id.name) ? ["From `thole/plugin/toolbox`.", ""] : [];
  return [`## ${declaration.id.name}`, "", ...module, ...paragraph(docOf(node)), ...type, ...lines, ...(lines.length === 0 ? [] : [""])]
    .join("\n");
}

const paragraph = (doc: string): readonly string[] => doc === "" ? [] : [doc, ""];

/** The last comment before a node, without stars. */
export function docOf({ leadingComments = [] }: Node): string {
  const comment = leadingComments.at(-1)?.value ?? "";
  if (!comment.startsWith("*")) return "";
  return comment.slice(1).split("\n").map((line) => line.trim().replace(/^\*/, "").trim()).join("\n").trim();
}

/** A member in one line. */
export function signature(text: string, { start, end }: Node): string {
  const code = text.slice(start, end).replaceAll(/\/\*[^*]*\*\//g, "").replaceAll(/\s+/g, " ");
  return code.replace(/^readonly /, "").replace(/;$/, "").trim();
}
