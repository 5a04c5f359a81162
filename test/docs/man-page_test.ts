// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { configurationSchema } from "../../server/config/json-schema.ts";
import { settings } from "../../server/config/settings.ts";
import { run, startSkipped } from "../real-server.ts";
import { manPage } from "../../tools/docs/man-page.ts";

const page = new URL("../../man/thole.1", import.meta.url), schema = new URL("../../thole.schema.json", import.meta.url);

test("man/thole.1 has the current commands and settings (npm run docs)", () => {
  assert.equal(readFileSync(page, "utf8"), manPage());
});

test("man/thole.1 is valid for groff or mandoc", { skip: startSkipped("deno") }, async (context) => {
  const path = fileURLToPath(page);
  const attempts = [["groff", "-man", "-ww", "-Tutf8", path], ["mandoc", "-Tlint", "-Werror", path]] as const;
  for (const [program, ...args] of attempts) {
    const found = await run(program, args).catch(() => undefined);
    if (found === undefined) continue;
    assert.deepEqual([found.code, found.errors], [0, ""], program);
    if (program === "groff") assert.match(found.output, /etcd.servers/);
    return;
  }
  context.skip("no groff or mandoc on PATH");
});

test("thole.schema.json has the current settings (npm run docs)", () => {
  assert.deepEqual(JSON.parse(readFileSync(schema, "utf8")), configurationSchema());
  const { properties } = configurationSchema() as { readonly properties: object }; // A schema of an object.
  assert.deepEqual(Object.keys(properties), Object.keys(settings).filter((name) => name !== "config"));
});
