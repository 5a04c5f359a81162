/** Blocks of code of the documentation's pages, and the shell in which tests run them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { kubectls } from "../../test/clients/kubectl.ts";
import { run } from "../../test/real-server.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Block {
  readonly page: string;
  /** Line of its fence. */
  readonly line: number;
  /** The words after the opening fence, such as `yaml policy`. */
  readonly mark: string;
  readonly text: string;
}

/** The pages for users. */
export const pages: readonly string[] = [
  "README.md",
  ...readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`).toSorted(),
];

/** All blocks between fences, without the indentation of their fence. */
export function blocksIn(page: string, text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly line: number; readonly mark: string; readonly indent: number } | undefined, inside: string[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const bare = line.trimStart();
    if (open === undefined) {
      if (bare.startsWith("```")) [open, inside] = [{ line: index + 1, mark: bare.slice(3), indent: line.length - bare.length }, []];
    } else if (bare === "```") {
      blocks.push({ page, line: open.line, mark: open.mark, text: `${inside.join("\n")}\n` });
      open = undefined;
    } else inside.push(line.slice(open.indent));
  }
  return blocks;
}

export function blocksOf(page: string): readonly Block[] {
  return blocksIn(page, readFileSync(join(root, page), "utf8"));
}

/** The block of a page that begins with this text. */
export function blockOf(page: string, begin: string): string {
  const found = blocksOf(page).filter(({ text }) => text.startsWith(begin));
  assert.equal(found.length, 1, `${page} has one block that begins with ${JSON.stringify(begin)}`);
  return found[0]!.text;
}

/** A text with a part replaced that it must have. */
export function replaced(text: string, ...parts: readonly (readonly [from: string, to: string])[]): string {
  return parts.reduce((result, [from, to]) => {
    assert.ok(result.includes(from), `${JSON.stringify(from)} in ${result}`);
    return result.replaceAll(from, to);
  }, text);
}

export interface Shell {
  /** Standard output; rejects with the errors if a command fails. */
  good(script: string): Promise<string>;
  /** Standard error of a script that fails. */
  bad(script: string): Promise<string>;
}

/** A shell in `folder` whose kubectl has these credentials, in a kubeconfig that it writes. */
export async function shellFor(
  folder: string,
  { url, ca, token }: { readonly url: string; readonly ca: string; readonly token: string },
): Promise<Shell> {
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(
    kubeconfig,
    JSON.stringify({
      "current-context": "page",
      contexts: [{ name: "page", context: { cluster: "page", user: "page" } }],
      clusters: [{ name: "page", cluster: { server: url, "certificate-authority-data": btoa(ca) } }],
      users: [{ name: "page", user: { token } }],
    }),
    { mode: 0o600 },
  );
  const env = { KUBECONFIG: kubeconfig, HOME: folder, PATH: `${dirname(kubectls()[0]!)}:${process.env["PATH"]}` };
  const ran = (script: string) => run("sh", ["-ec", script], { cwd: folder, env });
  return {
    async good(script) {
      const { code, output, errors } = await ran(script);
      assert.equal(code, 0, `${script}: ${errors}`);
      return output;
    },
    async bad(script) {
      const { code, output, errors } = await ran(script);
      assert.notEqual(code, 0, `${script}: ${output}`);
      return errors;
    },
  };
}
