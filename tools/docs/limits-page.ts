/** Generates docs/limits.md from the declarations of bounds in the sources. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sourceFolders } from "../../test/source-folders.ts";
import { table } from "./markdown-table.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A constant that `bound` marks. */
export interface DeclaredBound {
  readonly name: string;
  /** The expression of the source, such as `3 * 1024 * 1024`. */
  readonly value: string;
  /** The comment above it. */
  readonly about: string;
}

/** Comments, the constants of bounds, and blank lines, which end what a comment is about. */
const part = /^\/\*\*((?:[^*]|\*(?!\/))*)\*\/$|^(?:export )?const (\w+) = bound\(([^;]*)\);$|^$/gm;

/** The bounds that a source declares, in its order. Throws if one has no comment of its own. */
export function boundsIn(text: string): readonly DeclaredBound[] {
  const found: DeclaredBound[] = [];
  let about = "";
  for (const [, comment, name, value] of text.matchAll(part)) {
    if (name === undefined) about = (comment ?? "").replaceAll(/^ *\*/gm, "").replaceAll(/\s+/g, " ").trim();
    else if (about === "") throw new Error(`The bound ${name} has no comment`);
    else {
      found.push({ name, value: value!.replaceAll(/\s+/g, " ").replace(/,? *$/, "").trim(), about });
      about = "";
    }
  }
  return found;
}

/** The bounds of the sources by the paths of their files. */
export function declaredBounds(): ReadonlyMap<string, readonly DeclaredBound[]> {
  const files = sourceFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`)
      .filter((path) => path.endsWith(".ts") && !/_(?:test|bench)\.ts$|\/testing\/|\/test-/.test(path)).toSorted()
  );
  return new Map(files.flatMap((path) => {
    const bounds = boundsIn(readFileSync(join(root, path), "utf8"));
    return bounds.length === 0 ? [] : [[path, bounds] as const];
  }));
}

/** The text of the page. */
export function limitsPage(): string {
  const sections = [...Map.groupBy(declaredBounds(), ([path]) => path.split("/").slice(0, -1).slice(0, 2).join("/"))];
  return [
    `# Bounds

Every bound of memory, work and waits of the server, by the folder of the code that keeps it. A bound is a constant beside that code, marked by \`bound\`
(\`core/bound.ts\`); its name ends with its unit where it has one (\`Ms\` milliseconds, \`Bytes\`, \`Length\` UTF-16 units). Tests check each bound and one
past it. What operators may change is a setting instead: [configuration.md](configuration.md). Lengths that the API prescribes are with its rules.
\`npm run docs\` generates this page.`,
    ...sections.flatMap(([folder, files]) => [
      "",
      `## ${folder}`,
      "",
      table([
        ["bound", "value", "what it bounds"],
        ...files.flatMap(([, bounds]) => bounds.map(({ name, value, about }) => [`\`${name}\``, `\`${value}\``, escaped(about)])),
      ]),
    ]),
    "",
  ].join("\n");
}

const escaped = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
