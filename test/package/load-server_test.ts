// The code that V8 keeps of a script, with a script of a few bytes in place of the server.
import assert from "node:assert/strict";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { run, runtimePath, startSkipped } from "../real-server.ts";
import { root } from "./tarball.ts";

/** The text of a script whose function returns one letter. */
const scriptOf = (letter: string) => `module.exports = { letter: () => ${JSON.stringify(letter)} };`;
const skip = startSkipped("deno");

let folder: string, script: string, cache: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "thole-load-server-"));
  script = join(folder, "server-A.cjs");
  cache = join(folder, "cache");
  const loader = await readFile(join(root, "scripts/load-server.mjs"), "utf8");
  await writeFile(join(folder, "load-server.mjs"), loader.replaceAll("SERVER_SCRIPT", '"server-A.cjs"'));
  await writeFile(join(folder, "main.mjs"), 'import { server } from "./load-server.mjs"; console.log(server.letter());');
  await writeFile(script, scriptOf("a"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Runs the script to the end of its process. */
async function letter(flags: readonly string[] = [], place = cache): Promise<string> {
  const { code, output, errors } = await run(runtimePath("node"), [...flags, join(folder, "main.mjs")], {
    env: { NODE_COMPILE_CACHE: place },
  });
  assert.equal(code, 0, errors);
  return output.trim();
}

/** The only file with code of the script. */
async function codeFile(): Promise<string> {
  const names = (await readdir(cache, { recursive: true })).filter((name) => name.includes("server-A.cjs.code"));
  assert.equal(names.length, 1, names.join());
  assert.match(names[0]!, /\.code$/, "finished");
  return join(cache, names[0]!);
}

test("the code is written once, for this user", { skip }, async () => {
  assert.equal(await letter(), "a");
  const file = await codeFile(), { ino } = await stat(file);
  assert.equal((await stat(file)).mode & 0o077, 0);
  assert.equal(await letter(), "a");
  assert.equal((await stat(file)).ino, ino);
});

test("damaged code is replaced", { skip }, async () => {
  await letter();
  const file = await codeFile(), whole = await readFile(file);
  for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 10)) {
    const damaged = Uint8Array.from(whole);
    damaged[at]! ^= 0x55;
    await writeFile(file, damaged);
    assert.equal(await letter(), "a", `byte ${at}`);
    assert.equal((await readFile(file)).equals(damaged), false, `byte ${at}`);
  }
  for (const length of [whole.length - 1, 100, 4, 3, 0]) {
    await truncate(file, length);
    assert.equal(await letter(), "a", `${length} bytes`);
    assert.ok((await stat(file)).size > 100, `${length} bytes`);
  }
});

test("code that others can write, or another user has written, is replaced", { skip }, async () => {
  await letter();
  const file = await codeFile();
  for (const mode of [0o620, 0o602]) {
    await chmod(file, mode);
    const { ino } = await stat(file);
    assert.equal(await letter(), "a");
    assert.notEqual((await stat(file)).ino, ino, mode.toString(8));
  }
  if (process.getuid?.() !== 0) return;
  await chown(file, 12345, 12345);
  assert.equal(await letter(), "a");
  assert.equal((await stat(file)).uid, 0);
});

test("code is never written through a link", { skip }, async () => {
  await rm(cache, { recursive: true, force: true });
  await letter();
  const file = await codeFile(), victim = join(folder, "victim");
  await writeFile(victim, "untouched");
  await rm(file);
  await writeFile(
    join(folder, "linked.mjs"),
    'import { symlinkSync } from "node:fs"; import process from "node:process"; symlinkSync(process.argv[2], `${process.argv[3]}.${process.pid}`); import(process.argv[4]);',
  );
  const env = { NODE_COMPILE_CACHE: cache };
  const { code, errors } = await run(runtimePath("node"), [join(folder, "linked.mjs"), victim, file, "./load-server.mjs"], { env });
  assert.equal(code, 0, errors);
  assert.equal(await readFile(victim, "utf8"), "untouched");
  assert.deepEqual((await readdir(dirname(file))).filter((name) => name.includes(".cjs.code")), [], "left for the next start");
  await letter();
});

test("code of another text of the same length is replaced", { skip }, async () => {
  await letter();
  await writeFile(script, scriptOf("b"));
  assert.equal(await letter(), "b");
  await writeFile(script, scriptOf("a"));
  assert.equal(await letter(), "a");
});

test("processes that end at once leave one whole file", { skip }, async () => {
  await rm(cache, { recursive: true, force: true });
  assert.deepEqual(await Promise.all(Array.from({ length: 4 }, () => letter())), ["a", "a", "a", "a"]);
  const file = await codeFile(), { ino } = await stat(file);
  assert.equal(await letter(), "a");
  assert.equal((await stat(file)).ino, ino, "it is accepted");
});

test("four files are kept, the newest, of all versions of the package", { skip }, async () => {
  await letter();
  const file = await codeFile(), beside = dirname(file);
  const others = ["server-B.cjs.code", "server-C.cjs.code", "server-D.cjs.code", "server-E.cjs.code.123", "server-F.cjs.code", "other"];
  for (const [days, name] of others.entries()) {
    await writeFile(join(beside, name), "");
    await utimes(join(beside, name), 1e9 - days * 86_400, 1e9 - days * 86_400);
  }
  await rm(file);
  await letter();
  const left = new Set(await readdir(beside));
  assert.deepEqual(others.filter((name) => left.has(name)), [...others.slice(0, 3), "other"]);
});

test("without a folder that can be written, and with source maps, the script runs", { skip }, async () => {
  const blocked = join(folder, "blocked");
  await writeFile(blocked, "");
  assert.equal(await letter([], join(blocked, "cache")), "a");
  assert.equal(await letter(["--enable-source-maps"]), "a");
  // A folder in the place of the file: the code cannot be written.
  const file = await codeFile();
  await rm(file);
  await mkdir(file);
  assert.equal(await letter(), "a");
  assert.deepEqual((await readdir(dirname(file))).filter((name) => name.includes(".cjs.code.")), []);
});

test("the bytes of the script are not kept, neither with a folder for its code nor without one", { skip }, async () => {
  const bytes = 4 * 1024 * 1024;
  await writeFile(script, `${scriptOf("a")} // ${"-".repeat(bytes)}`);
  await writeFile(
    join(folder, "held.mjs"),
    [
      'import process from "node:process";',
      'import { setTimeout } from "node:timers/promises";',
      'import "./load-server.mjs";',
      "const held = () => process.memoryUsage().arrayBuffers;",
      // V8 frees buffers in another thread, some time after a collection.
      `for (let times = 0; times < 50 && held() >= ${bytes}; times++) {`,
      "  gc();",
      "  await setTimeout(20);",
      "}",
      "console.log(held());",
    ].join("\n"),
  );
  for (const env of [{ NODE_COMPILE_CACHE: join(folder, "another") }, undefined]) {
    const { code, output, errors } = await run(
      runtimePath("node"),
      ["--expose-gc", join(folder, "held.mjs")],
      env === undefined ? {} : { env },
    );
    assert.equal(code, 0, errors);
    assert.ok(Number(output) < bytes, output);
  }
  await writeFile(script, scriptOf("a"));
});

test("writing the code leaves no free memory in the process", { skip: skip || process.platform !== "linux" }, async () => {
  // Functions with much code and little text, each compiled by itself: compiling them leaves little free memory, which the writing would use.
  const objects = (at: number) => Array.from({ length: 100 }, (_, i) => `{ a, t${i}: "${at}-${i}" + a }`).join();
  const many = Array.from({ length: 600 }, (_, at) => `function f${at}(a) { return [${objects(at)}]; }\nf${at}(1);`);
  const place = join(folder, "free-cache"), last = join(folder, "free.mjs");
  await writeFile(script, `${many.join("\n")}\n${scriptOf("a")}`);
  const text = [
    'import { channel } from "node:diagnostics_channel";',
    'import { readdirSync, readFileSync } from "node:fs";',
    'import { server } from "./load-server.mjs";',
    "server.letter();",
    "const heap = () => Number(/\\[heap\\]\\n(?:.*\\n)*?Rss: *(\\d+)/.exec(readFileSync('/proc/self/smaps', 'utf8'))?.[1] ?? 0) / 1024;",
    "const before = heap();",
    'channel("thole.ready").publish({});',
    "const waiting = setInterval(() => {",
    '  if (!readdirSync(process.env.NODE_COMPILE_CACHE, { recursive: true }).some((name) => name.endsWith(".cjs.code"))) return;',
    "  clearInterval(waiting);",
    "  console.log(heap() - before);",
    "}, 50);",
  ];
  try {
    await writeFile(last, text.join("\n"));
    const { code, output, errors } = await run(runtimePath("node"), [last], { env: { NODE_COMPILE_CACHE: place } });
    assert.equal(code, 0, errors);
    assert.ok(Number(output) < 2, `${output.trim()} MiB`);
  } finally {
    await writeFile(script, scriptOf("a"));
  }
});
