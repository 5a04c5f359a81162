// The commands of the quickstart and the first page, run in order against the program, print the documented output.
// In Deno's suite only: its programs run on Deno.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { kubectlMissing, kubectls } from "../clients/kubectl.ts";
import { run, startCommand, startRealServer, until } from "../real-server.ts";
import { followed } from "../../tools/docs/checked-blocks.ts";

interface Step {
  readonly command: string;
  readonly output: string;
}

/** `$ command` with the output up to the next one, of every code block; a here-document belongs to its command. */
function stepsOf(page: string): readonly Step[] {
  return [...page.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) => {
    const steps: Step[] = [];
    for (const [, part = ""] of block.matchAll(/^\$ ([\s\S]*?\n)(?=\$ |(?![\s\S]))/gm)) {
      const mark = /<<'(\w+)'/.exec(part)?.[1];
      const at = part.indexOf(mark === undefined ? "\n" : `\n${mark}\n`) + (mark === undefined ? 1 : mark.length + 2);
      steps.push({ command: part.slice(0, at).trimEnd(), output: part.slice(at) });
    }
    return steps;
  });
}

/** Without values that differ between runs: times, ids, ages, additions of newer kubectls, and trailing blanks. */
function lasting(text: string): string {
  return text
    .replaceAll(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g, "TIME")
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "UID")
    .replaceAll(/(resourceVersion: )"\d+"/g, "$1RV")
    .replaceAll(/ (\d+[smh])+$/gm, " AGE")
    .replaceAll(/(deleted) from [a-z]+ namespace$/gm, "$1")
    .replaceAll(/ +$/gm, "")
    .trimEnd();
}

for (const [path, count] of Object.entries(followed)) {
  test(`${path} is correct, command by command`, { skip: kubectlMissing() }, () => follow(path, count));
}

async function follow(path: string, count: number): Promise<void> {
  const page = await readFile(new URL(`../../${path}`, import.meta.url), "utf8");
  const folder = await mkdtemp(join(tmpdir(), "thole-page-"));
  try {
    await followIn(folder, page, count);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Flags of the page's `npm start`, and their files in `folder`: YAML blocks with a file name. */
async function flagsOf(page: string, folder: string): Promise<readonly string[]> {
  const files = [...page.matchAll(/^```yaml (\w+)\n([\s\S]*?)^```$/gm)];
  for (const [, name = "", text = ""] of files) await writeFile(join(folder, `${name}.yaml`), text);
  const [, flags = ""] = /^npm start -- (.+)$/m.exec(page) ?? [];
  return files.length === 0 ? [] : flags.split(" ").map((flag) => flag.replace("=", `=${folder}/`));
}

async function followIn(folder: string, page: string, count: number): Promise<void> {
  const steps = stepsOf(page);
  assert.equal(steps.length, count, "commands on the page");
  const server = await startRealServer({ args: await flagsOf(page, folder) });
  const env = { KUBECONFIG: server.kubeconfig, HOME: server.folder, PATH: `${dirname(kubectls()[0]!)}:${process.env["PATH"]}` };
  const watches: { readonly output: () => string; readonly wanted: string }[] = [];
  try {
    assert.match(page, /^Thole serves on https:\/\/127\.0\.0\.1:6443\nexport KUBECONFIG=|`export KUBECONFIG=` line/m);
    await until(() => assert.match(server.output(), /^Thole serves on https:\/\/127\.0\.0\.1:\d+\nexport KUBECONFIG=/m));
    for (const { command, output: wanted } of steps) {
      if (command.endsWith(" -w")) {
        // Keeps running, as the page requires; it ends with this process.
        const { output } = await startCommand(["sh", "-c", `exec ${command}`], { env: { ...process.env, ...env } });
        await until(() => assert.equal(lasting(output()), lasting(wanted), command));
        watches.push({ output, wanted });
        continue;
      }
      const { code, output, errors } = await run("sh", ["-c", `cd "${folder}" && ${command}`], { env });
      assert.deepEqual([lasting(output), code], [lasting(wanted), 0], `${command}: ${errors}`);
    }
    for (const { output } of watches) {
      await until(() => assert.ok(output().trim().split("\n").length >= 4, "the change and the end of the object are seen"));
    }
  } finally {
    await server.close();
  }
}
