// In Deno's suite only: its programs are Go's.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { programs } from "../../test/programs.ts";

const run = promisify(execFile), cwd = fileURLToPath(new URL("generator", import.meta.url));
const missing = (name: string) => programs(name).length === 0 && `no ${name} on PATH`;

test("the generator in Go is formatted", { skip: missing("gofmt") }, async () => {
  assert.equal((await run("gofmt", ["-l", "."], { cwd })).stdout, "");
});

test("the generator in Go passes go vet and its tests", { skip: missing("go") }, async () => {
  await run("go", ["vet", "./..."], { cwd });
  const { stdout } = await run("go", ["test", "./..."], { cwd });
  assert.match(stdout, /^ok\s/);
});
