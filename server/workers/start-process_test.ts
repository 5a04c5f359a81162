import assert from "node:assert/strict";
import { test } from "node:test";
import process from "node:process";
import { startProcess } from "./start-process.ts";

/** The words of the runtime for a program in one argument. */
const program = (text: string) => "Deno" in globalThis ? ["eval", "--no-check", text] : ["-e", text];
const imports = 'const { default: process } = await import("node:process");';

function started(text: string) {
  const output: string[] = [], errors: string[] = [];
  const child = startProcess({
    args: program(`(async () => { ${imports} ${text} })()`),
    output: (line) => output.push(line),
    errors: (line) => errors.push(line),
  });
  return { ...child, output, errors };
}

test("startProcess() passes lines in both directions, and resolves with the exit code after the last line", async () => {
  const child = started(`
    process.stdin.on("data", (chunk) => { console.log("got " + String(chunk).trim()); console.error("log ä"); process.exitCode = 3; process.stdin.destroy(); });`);
  child.send("hello\n");
  assert.deepEqual(await child.exited, { code: 3 });
  assert.deepEqual([child.output, child.errors], [["got hello"], ["log ä"]]);
  child.send("nobody is there\n");
});

test("startProcess() resolves with the signal that ended the process", async () => {
  const child = started("setInterval(() => {}, 1000);");
  process.kill(child.pid, "SIGKILL");
  assert.deepEqual(await child.exited, { code: 137, signal: "SIGKILL" });
});

test("WorkerProcess.kill() ends a process that does not run, and has no effect after its end", async () => {
  const child = started('console.log("up"); for (;;) {}');
  for (let tries = 0; child.output.length === 0 && tries < 3000; tries++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(child.output, ["up"], child.errors.join("\n"));
  process.kill(child.pid, "SIGSTOP");
  child.kill();
  assert.deepEqual(await child.exited, { code: 137, signal: "SIGKILL" });
  child.kill();
});

test("a process sees the end of its input when the other side has ended", async () => {
  // A supervisor in the place of the test: it starts a worker, prints its id, and is killed.
  const words = JSON.stringify(
    program(
      `${imports} process.stdin.on("data", () => {}); process.stdin.on("end", () => process.exit(7)); console.log("up");`.replace(
        imports,
        `import("node:process").then(({ default: process }) => {`,
      ) + " })",
    ),
  );
  const module = JSON.stringify(new URL("./start-process.ts", import.meta.url).href);
  const supervisor = started(`
    const { startProcess } = await import(${module});
    const child = startProcess({ args: ${words}, output: () => console.log(child.pid), errors: (line) => console.error(line) });`);
  for (let tries = 0; supervisor.output.length === 0 && tries < 3000; tries++) await new Promise((resolve) => setTimeout(resolve, 20));
  const worker = Number(supervisor.output[0]);
  assert.ok(worker > 0, supervisor.errors.join("\n"));
  process.kill(supervisor.pid, "SIGKILL");
  await supervisor.exited;
  for (let tries = 0; tries < 3000; tries++) {
    try {
      process.kill(worker, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail("the worker goes on");
});
