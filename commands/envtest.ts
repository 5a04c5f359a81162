/** `thole envtest`: the folder of programs for envtest. The programs in it are `thole envtest as-etcd` and `as-kube-apiserver`. */
import type { Plugin } from "../core/plugin.ts";
import { readCommandFlags } from "../server/config/command-flags.ts";
import { UsageError } from "../server/config/commands.ts";
import { makeLayout } from "./envtest/layout.ts";
import { apiServerWord, etcdWord, runStandIn, serverArguments } from "./envtest/stand-in.ts";

/** Resolves with the exit code; undefined if a server goes on. */
export async function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number | undefined> {
  const [word, ...rest] = args;
  if (word === etcdWord) return await runStandIn(rest);
  if (word === apiServerWord) {
    const { run } = await import("../server/process/serve.ts");
    return await run(await serverArguments(rest), plugins);
  }
  const values = readCommandFlags({ name: "envtest", args }), [dir] = values.get("dir") ?? [];
  if (dir === undefined) throw new UsageError('envtest: flag "--dir" is needed: the folder to make (thole help envtest)');
  const { folder, etcd, kubectl } = await makeLayout(dir, values.has("without-etcd"));
  const say = (line: string) => console.error(`thole: ${line}`);
  say("kube-apiserver is this program");
  say(etcd === undefined ? "etcd is a stand-in: objects are in an embedded store in its data folder" : `etcd is ${etcd}`);
  say(kubectl === undefined ? "kubectl is not on PATH: tests that call it need one in this folder" : `kubectl is ${kubectl}`);
  console.log(`export KUBEBUILDER_ASSETS=${folder}`);
  return 0;
}
