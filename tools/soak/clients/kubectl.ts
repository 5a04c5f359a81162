/** kubectl: each verb as a user runs it, and a watch that lives as long as the soak. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { good, kubectlFor, kubectlMissing, kubectls } from "../../../test/clients/kubectl.ts";
import { expect, pause, repeat, type SoakClient, type Tally, type Target } from "../client.ts";
import { namespace } from "../objects.ts";

const roundMs = 60_000, restartMs = 1_000;

export const kubectl: SoakClient = {
  name: "kubectl",
  missing: () => Promise.resolve(kubectlMissing() || undefined),
  async run(target, tally, signal) {
    const path = kubectls()[0]!, command = kubectlFor(path, target), watched = new Set<string>();
    const watching = watch(path, target, tally, signal, watched);
    await repeat({ what: "kubectl", pauseMs: roundMs, target, tally, signal }, async (turn) => {
      const name = `kubectl-${turn}`;
      const steps = [
        () => good(command, "apply --filename -", manifest(name, turn)),
        () => good(command, ["get", "configmap", name, "--output=jsonpath={.data.turn}"]),
        () => good(command, "apply --filename -", manifest(name, turn + 1)),
        () => good(command, "get configmaps --output=name"),
        () => good(command, ["delete", "configmap", name, "--wait=false"]),
      ];
      const [, read, , listed] = await inTurn(steps, async (step) => {
        const output = await step();
        tally.count("commands");
        await pause(restartMs * target.pace, signal);
        return output;
      });
      expect(read === String(turn), `kubectl get printed ${read}`);
      expect(listed!.includes(`configmap/${name}\n`), `kubectl get lacks ${name}`);
      if (!watched.has(name)) tally.failed("kubectl get --watch", `it did not print ${name}`);
    });
    await watching;
  },
};

async function inTurn<T, R>(all: readonly T[], take: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const one of all) results.push(await take(one));
  return results;
}

/** `kubectl get --watch`, started again when it ends. */
async function watch(path: string, target: Target, tally: Tally, signal: AbortSignal, seen: Set<string>): Promise<void> {
  while (!signal.aborted) {
    const child = spawn(path, [
      `--kubeconfig=${target.kubeconfig}`,
      `--cache-dir=${target.folder}/kubectl-cache`,
      ...["get", "configmaps", `--namespace=${namespace}`, "--watch", "--output=name"],
    ], { stdio: ["ignore", "pipe", "ignore"] });
    const exited = once(child, "exit"), end = () => void child.kill("SIGTERM");
    signal.addEventListener("abort", end, { once: true });
    for await (const line of createInterface({ input: child.stdout })) {
      seen.add(line.replace("configmap/", ""));
      tally.count("lines of a watch");
    }
    await exited;
    signal.removeEventListener("abort", end);
    if (!signal.aborted) tally.count("ends of a watch");
    await pause(restartMs, signal);
  }
}

function manifest(name: string, turn: number): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: {turn: "${turn}"}\n`;
}
