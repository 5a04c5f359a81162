// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { configurationPage } from "../../tools/docs/configuration-page.ts";
import { describedGates } from "../../tools/docs/gate-effects.ts";
import { kernelGates } from "../../core/released/gates.ts";
import { inertLadders } from "../../core/released/inert-gates.ts";
import { plugins } from "../../plugins/mod.ts";
import { plainSettingsType } from "../../tools/docs/plain-settings-type.ts";

test("docs/configuration.md is up to date; `npm run docs` updates it", async () => {
  assert.equal(await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8"), configurationPage());
});

test("server/config/plain-settings-type.ts has the current settings; `npm run docs` updates it", async () => {
  const file = new URL("../../server/config/plain-settings-type.ts", import.meta.url);
  assert.equal(await readFile(file, "utf8"), plainSettingsType());
});

test("the effects on the page are those of gates that are declared, each in the table of its kind", () => {
  const declared = new Set([kernelGates, ...plugins.map(({ featureGates = {} }) => featureGates)].flatMap(Object.keys));
  const isInert = (name: string) => Object.hasOwn(inertLadders, name);
  assert.deepEqual(describedGates.effects.filter((name) => !declared.has(name) || isInert(name)), []);
  assert.deepEqual(describedGates.inert.filter((name) => !isInert(name)), []);
});
