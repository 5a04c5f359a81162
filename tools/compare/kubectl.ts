import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Command } from "./kubectl-commands.ts";

/** What a command did, with what each server makes for itself replaced. */
interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

export interface KubectlDifference {
  readonly line: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Milliseconds of one command. */
const commandMs = 60_000;

/** Runs groups of commands against two servers, given by kubeconfig files, each in a namespace of its own. */
export async function compareKubectl(
  groups: Readonly<Record<string, readonly Command[]>>,
  { ours, theirs, program, values }: {
    readonly ours: string;
    readonly theirs: string;
    readonly program: string;
    /** Texts in place of `${name}`. */
    readonly values: Readonly<Record<string, string>>;
  },
  found: (difference: KubectlDifference) => void,
  ended: (group: string, commands: number, differing: number) => void,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "compare-kubectl-"));
  try {
    // The peer has it already: with the others of a run.
    await runCommand(program, ours, home, { line: "create namespace ${ns}" }, values);
    for (const [group, commands] of Object.entries(groups)) {
      let differing = 0;
      for (const command of commands) {
        const run = (kubeconfig: string) => runCommand(program, kubeconfig, home, command, values);
        const [mine, peers] = await Promise.all([run(ours), run(theirs)]), texts = [mine, peers].map(shown) as [string, string];
        if (texts[0] === texts[1]) continue;
        differing++;
        found({ line: command.line, ours: texts[0], theirs: texts[1] });
      }
      ended(group, commands.length, differing);
    }
    await runCommand(program, ours, home, { line: "delete namespace ${ns} --wait=false" }, values);
  } finally {
    await rm(home, { recursive: true });
  }
}

const filled = (text: string, values: Readonly<Record<string, string>>) =>
  text.replace(/\$\{([a-z]+)\}/g, (_, name: string) => values[name] ?? "");

/** The words of a line, as a shell splits them. Only single quotes are known. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|[^' ])+/g)].map(([word]) => word.replaceAll("'", ""));
}

async function runCommand(
  program: string,
  kubeconfig: string,
  home: string,
  command: Command,
  values: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const editor = join(home, "editor.sh");
  if (command.edit !== undefined) await writeFile(editor, `#!/bin/sh\nsed -i '${command.edit}' "$1"\n`, { mode: 0o700 });
  const environment = { PATH: process.env["PATH"], HOME: home, KUBECONFIG: kubeconfig, KUBE_EDITOR: editor, LANG: "C" };
  const args = ["--namespace", values["ns"]!, ...wordsOf(filled(command.line, values))];
  return await new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: environment, timeout: commandMs });
    const texts = { out: "", error: "" };
    child.stdout.on("data", (data) => texts.out += String(data));
    child.stderr.on("data", (data) => texts.error += String(data));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...texts }));
    child.stdin.on("error", () => {}); // the command may end without reading it
    child.stdin.end(command.input === undefined ? "" : filled(command.input, values));
  });
}

/** The outcome without ages, times, identities, addresses, and spaces of columns. */
function shown({ code, out, error }: Outcome): string {
  const text = `code ${code}\n${out}\n${error}`;
  return text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replace(/\b20[0-9]{2}-[0-9-]{5}[T ][0-9:.]+(Z|\+[0-9]+)?/g, "<time>")
    .replace(/\b[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} 20[0-9 :+-]+/g, "<time>").replace(/\b[EIW][0-9]{4} [0-9:.]+ +[0-9]+ /g, "<log> ")
    .replace(/\b[0-9]+(s|m|m[0-9]+s)\b/g, "<age>").replace(/\b10\.[0-9.]+\b|127\.0\.0\.1:[0-9]+/g, "<address>").replace(
      /\b3[0-9]{4}\b/g,
      "<port>",
    )
    .replace(/(resourceVersion: ")[0-9]+/g, "$1<version>").replace(/edit-[0-9]+\.yaml|LIVE-[0-9]+|MERGED-[0-9]+/g, "<file>").replace(
      / +/g,
      " ",
    );
}

/** The lines that only one of two outcomes has. */
export function shownDifference(ours: string, theirs: string): string {
  const [one, other] = [ours.split("\n"), theirs.split("\n")];
  const only = (lines: readonly string[], others: readonly string[]) =>
    lines.filter((line) => !others.includes(line)).slice(0, 12).map((line) => line.slice(0, 300));
  const mine = only(one, other), peers = only(other, one);
  if (mine.length + peers.length === 0) return "    the same lines in another order or number";
  return [...mine.map((line) => `    ours:   ${line}`), ...peers.map((line) => `    theirs: ${line}`)].join("\n");
}
