/** The example of docs/writing-a-plugin.md: the first block of code that defines a plugin. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

const page = new URL("../../docs/writing-a-plugin.md", import.meta.url);

export async function example(): Promise<string> {
  const text = await readFile(page, "utf8");
  const block = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!).find((code) => code.includes("definePlugin("));
  assert.ok(block !== undefined, "the page shows a plugin");
  return block;
}
