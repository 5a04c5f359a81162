/** etcd's own programs on this machine, and their abilities. */
import assert from "node:assert/strict";
import { etcdAvailable, etcdRelease } from "../etcd.ts";
import { programs } from "../programs.ts";
import { run } from "../real-server.ts";

const env = { ETCDCTL_API: "3" };
const [etcdctl] = programs("etcdctl");
/** From 3.6 on only etcdutl restores; before 3.5 there is no etcdutl. etcd may reject the files of another release's restore. */
const restorer = await firstOf([...programs("etcdutl"), ...programs("etcdctl")]);

async function firstOf(candidates: readonly string[]): Promise<{ readonly program: string; readonly bumps: boolean } | undefined> {
  const etcd = etcdAvailable();
  const { minor } = etcd === undefined ? { minor: 0 } : await etcdRelease(etcd);
  for (const program of candidates) {
    const { output: version } = await run(program, ["version"], { env });
    const [, major, own] = /version: (\d+)\.(\d+)/.exec(version) ?? [];
    const { output: help } = await run(program, ["snapshot", "restore", "--help"], { env });
    const isOf = Number(major) * 1000 + Number(own) === minor;
    if (isOf && help.includes("--data-dir")) return { program, bumps: help.includes("--bump-revision") };
  }
  return undefined;
}

/** The reason why etcdctl cannot be used, or false. */
export function ctlMissing(): string | false {
  return etcdctl === undefined && "no etcdctl on PATH (scripts/ensure-etcd.sh installs it)";
}

/** The reason why a backup of etcd cannot be taken or restored, or false. */
export function restoringMissing(): string | false {
  return ctlMissing() || restorer === undefined && "no etcdutl of etcd's release on PATH, without which nothing is restored from 3.6 on";
}

/** The reason why revisions cannot be raised above all assigned ones, or false. */
export function bumpingMissing(): string | false {
  return restoringMissing() || restorer?.bumps !== true && "no etcdutl on PATH that supports --bump-revision";
}

/** Runs etcdctl against an endpoint; returns its output. */
export async function ctl(endpoint: string, ...words: readonly string[]): Promise<string> {
  const done = await run(etcdctl ?? "etcdctl", [`--endpoints=${endpoint}`, ...words], { env });
  assert.equal(done.code, 0, done.errors);
  return done.output;
}

/** Restores a snapshot to a member's data folder. */
export async function restore(snapshot: string, dataDir: string, ...flags: readonly string[]): Promise<void> {
  // Name and address of the member that starts with it; a single member uses those of the restore.
  const words = ["snapshot", "restore", snapshot, `--data-dir=${dataDir}`, ...flags];
  const done = await run(restorer?.program ?? "etcdutl", words, { env });
  assert.equal(done.code, 0, done.output + done.errors);
}
