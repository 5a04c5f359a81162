/** `thole record`: a proxy in front of a cluster, which writes a recording for tests. */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { readCommandFlags } from "../server/config/command-flags.ts";
import { UsageError } from "../server/config/commands.ts";
import { writeRecording } from "../testing/files/recordings.ts";
import { openCluster } from "./record/cluster.ts";
import { openProxy } from "./record/proxy.ts";

/** Resolves with 0 after a signal, when the recording is written. Rejects for wrong flags, and for a cluster that cannot be used. */
export async function run(args: readonly string[]): Promise<number> {
  const values = readCommandFlags({ name: "record", args }), flag = (name: string) => values.get(name)?.[0];
  const to = flag("to"), from = flag("kubeconfig") ?? process.env.KUBECONFIG, port = Number(flag("port") ?? 0);
  if (to === undefined) throw new UsageError('record: flag "--to" is needed: the file of the recording (thole help record)');
  if (from === undefined || from === "") throw new UsageError('record: flag "--kubeconfig" is needed, or the variable KUBECONFIG');
  if (!(Number.isInteger(port) && port >= 0 && port < 65536)) throw new UsageError(`record: flag "--port": ${flag("port")} is no port`);
  if (existsSync(to)) throw new UsageError(`record: "${to}" exists, and is not overwritten`);
  await writeFile(to, "", { flag: "wx", mode: 0o600 }); // before any work: a file that cannot be written is a mistake
  const folder = await mkdtemp(join(tmpdir(), "thole-record-"));
  try {
    const cluster = await openCluster(from, flag("context")), say = (line: string) => console.error(`thole: ${line}`);
    const proxy = await openProxy(cluster, port, say), path = join(folder, "kubeconfig");
    await writeFile(path, proxy.kubeconfig, { mode: 0o600 });
    say(`records requests to ${cluster.address} as ${cluster.user.name}; a signal (Ctrl-C) writes ${to}`);
    console.log(`Thole records on ${proxy.url}\nexport KUBECONFIG=${path}`);
    await signalled();
    await proxy.close();
    await writeRecording(to, proxy.recording.text());
    say(`${proxy.recording.requests().length} requests in ${to}`);
    return 0;
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves with the first signal that asks for the end. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
