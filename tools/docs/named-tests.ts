/** The tests of the repository that name rules: `test("rule NAME: ...")`. */
import { readdir, readFile } from "node:fs/promises";
import { sourceFolders } from "../../test/source-folders.ts";

const root = new URL("../../", import.meta.url);
const folders = [...sourceFolders, "test"];

export interface NamedTest {
  readonly file: string;
  /** The name of the test, without the rule. */
  readonly promise: string;
}

/** The tests by the rules that they name, in the order of their files. */
export async function testsOfRules(): Promise<ReadonlyMap<string, readonly NamedTest[]>> {
  const found = new Map<string, NamedTest[]>();
  for (const folder of folders) {
    const files = (await readdir(new URL(`${folder}/`, root), { recursive: true })).filter((file) => file.endsWith("_test.ts"));
    for (const file of files.toSorted()) {
      const path = `${folder}/${file}`;
      for (const { rule, promise } of rulesIn(await readFile(new URL(path, root), "utf8"))) {
        found.set(rule, [...found.get(rule) ?? [], { file: path, promise }]);
      }
    }
  }
  return found;
}

/** How the name of a test that names a rule begins, and ends. */
const quotes = ['"', "`"] as const;

/** The rules in the names of a file's tests. A test may name several: `rule a, b: ...`. */
export function rulesIn(text: string): readonly { readonly rule: string; readonly promise: string }[] {
  return quotes.flatMap((quote) => {
    const parts = text.split(`${quote}rule `);
    return parts.slice(1).flatMap((rest, index) => {
      // The first argument of a call.
      if (!parts[index]!.trimEnd().endsWith("(")) return [];
      const name = rest.slice(0, rest.indexOf(quote));
      const colon = name.indexOf(": ");
      if (colon < 0) return [];
      return name.slice(0, colon).split(", ").map((rule) => ({ rule, promise: name.slice(colon + 2) }));
    });
  });
}
