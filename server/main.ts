/** The program: chooses the command, and reports what stops it. */
import { basename } from "node:path";
import process from "node:process";
import type { Plugin } from "../core/plugin.ts";
import { plugins } from "../plugins/mod.ts";
import type { UnderTest } from "./process/under-test.ts";
import { reportFailure } from "./process/report-failure.ts";
import { chooseCommand, type CommandName } from "./config/commands.ts";
import { compatFlag } from "./config/kube-apiserver-arguments.ts";

/** Runs a command with the words after its name. Resolves with the exit code, or undefined if the process goes on. */
type RunCommand = (args: readonly string[], builtIn: readonly Plugin[]) => Promise<number | undefined>;

/** Loads what opens a server under test, which is part of the package for tests. */
async function underTest(): Promise<UnderTest> {
  return (await import("../testing/control/program.ts")).serveUnderTest;
}

/** The module of each command, loaded when it runs. */
const modules: Readonly<Record<CommandName, () => Promise<{ readonly run: RunCommand }>>> = {
  serve: async () => {
    const { run } = await import("./process/serve.ts");
    return { run: (args, builtIn) => run(args, builtIn, { underTest }) };
  },
  check: () => import("../commands/check.ts"),
  verify: () => import("../commands/verify.ts"),
  history: () => import("../commands/history.ts"),
  import: () => import("../commands/import.ts"),
  backup: () => import("../commands/backup.ts"),
  restore: () => import("../commands/restore.ts"),
  envtest: () => import("../commands/envtest.ts"),
  record: () => import("../commands/record.ts"),
  dev: () => import("../commands/dev.ts"),
  convert: () => import("../commands/convert.ts"),
  advise: () => import("../commands/advise.ts"),
  completion: () => import("../commands/completion.ts"),
  version: () => import("../commands/version.ts"),
  help: () => import("../commands/help.ts"),
};

async function main(): Promise<void> {
  const [, program = "", ...words] = process.argv;
  // Under the name kube-apiserver: a link, as test environments look for it.
  const { name, args } = chooseCommand(basename(program) === "kube-apiserver" ? [compatFlag, ...words] : words);
  const { run } = await modules[name]();
  const code = await run(args, plugins);
  // Not process.exit(): output may still be under way.
  if (code !== undefined) process.exitCode = code;
}

main().catch((error: unknown) => {
  reportFailure(error);
  process.exit(1);
});
