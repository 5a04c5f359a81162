/** The kubectl programs of this machine, and runs of them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { programs } from "../programs.ts";
import { type Ran, type RealServer, run } from "../real-server.ts";

export function kubectls(): readonly string[] {
  return programs("kubectl");
}

export function kubectlMissing(): string | false {
  return kubectls().length === 0 && "no kubectl on PATH";
}

/** A kubectl that is configured for this server; a text of `words` is split at blanks. */
export type Kubectl = (words: string | readonly string[], input?: string) => Promise<Ran>;

export function kubectlFor(path: string, server: Pick<RealServer, "kubeconfig" | "folder">): Kubectl {
  return (words, input = "") =>
    run(path, [`--cache-dir=${join(server.folder, "kubectl-cache")}`, ...(typeof words === "string" ? words.split(" ") : words)], {
      input,
      env: { KUBECONFIG: server.kubeconfig, HOME: server.folder },
    });
}

/** Runs a command that must succeed, and returns its output. */
export async function good(kubectl: Kubectl, words: string | readonly string[], input?: string): Promise<string> {
  const { code, output, errors } = await kubectl(words, input);
  assert.equal(code, 0, `kubectl ${words}: ${output}${errors}`);
  return output;
}
/** Runs a command that must fail, and returns its error output. */
export async function bad(kubectl: Kubectl, words: string | readonly string[], input?: string): Promise<string> {
  const { code, output, errors } = await kubectl(words, input);
  assert.notEqual(code, 0, `kubectl ${words} succeeded: ${output}`);
  return errors;
}
