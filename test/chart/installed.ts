/**
 * The rendered chart on one machine: Secrets and ConfigMaps are folders, hosts are loopback addresses, and container commands are
 * unchanged.
 */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { etcdAvailable, type EtcdServer, memberOf } from "../etcd.ts";
import { freePort } from "../ports.ts";
import { type Program, type Runtime, startProgram, until } from "../real-server.ts";
import { namespace, type Rendered, the } from "./helm.ts";

/** The texts of a Secret or ConfigMap, by key. */
export function textsOf(object: Rendered): Readonly<Record<string, string>> {
  const data = Object.entries((object["data"] ?? {}) as Record<string, string>); // rendered text
  const plain = object.kind === "Secret" ? data.map(([key, text]) => [key, atob(text)]) : data;
  return { ...Object.fromEntries(plain), ...object["stringData"] };
}

/** Writes the volumes of a pod below `folder`, in the container's layout. */
export async function layOut(objects: readonly Rendered[], template: Rendered["spec"], folder: string): Promise<void> {
  for (const { name, mountPath } of template.spec.containers[0].volumeMounts) {
    const place = join(folder, mountPath);
    await mkdir(place, { recursive: true, mode: 0o700 });
    const volume = (template.spec.volumes ?? []).find((each: Rendered) => each["name"] === name) ?? {};
    const [kind, of] = volume.secret !== undefined ? ["Secret", volume.secret.secretName] : ["ConfigMap", volume.configMap?.name];
    if (of === undefined) continue;
    const texts = textsOf(the(objects, kind, of));
    const items: readonly Rendered[] = volume.configMap?.items ?? volume.secret?.items ??
      Object.keys(texts).map((key) => ({ key, path: key }));
    for (const { key, path } of items) {
      const text = texts[key];
      assert.ok(text !== undefined, `${kind} ${of} has no ${key}`);
      await writeFile(join(place, path), text, { mode: 0o600 });
    }
  }
}

/** Paths of a container below `folder`. */
function below(folder: string, word: string): string {
  return word.replace(/(?<==)\/(?=(etc|var)\/)/, `${folder}/`);
}

/** Starts the members of the chart's etcd, each on its own address. `stop` ends them. */
export async function startMembers(objects: readonly Rendered[], release: string, folder: string): Promise<Members> {
  const name = `${release}-etcd`;
  const { template, replicas } = the(objects, "StatefulSet", name)["spec"];
  const path = etcdAvailable();
  assert.ok(path !== undefined);
  const [client, peer, metrics] = [await freePort(), await freePort(), await freePort()];
  const addressed = (word: string) =>
    word.replaceAll(new RegExp(`${name}-(\\d)\\.${name}\\.${namespace}\\.svc`, "g"), (_, index) => addressOf(Number(index)))
      .replaceAll(":2379", `:${client}`).replaceAll(":2380", `:${peer}`).replaceAll(":2381", `:${metrics}`);
  const members: EtcdServer[] = [];
  for (let index = 0; index < replicas; index++) {
    const own = join(folder, `etcd-${index}`);
    await layOut(objects, template, own);
    const [, ...words] = template.spec.containers[0].command as readonly string[];
    const flags = words.map((word) =>
      below(own, addressed(word.replaceAll("$(POD_NAME)", `${name}-${index}`)).replaceAll("0.0.0.0", addressOf(index)))
    );
    members.push(memberOf(path, `https://${addressOf(index)}:${client}`, flags, join(own, "log"), () => Promise.resolve()));
  }
  const stop = async () => void await Promise.all(members.map((member) => member.stop()));
  try {
    await Promise.all(members.map((member) => member.restart()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { addressed, members, stop };
}
export interface Members {
  /** Replaces the members' hosts and ports by the local ones. */
  addressed(word: string): string;
  readonly members: readonly EtcdServer[];
  stop(): Promise<void>;
}
/** The address of a member, which is in its certificate. */
export function addressOf(member: number): string {
  return `127.0.0.${2 + member}`;
}

export interface Replica extends Program {
  readonly port: number;
}

/** Starts one server with its container's command on a free loopback port, and waits until it is ready. */
export async function startReplica(
  objects: readonly Rendered[],
  workload: Rendered,
  folder: string,
  { addressed = (word: string) => word, runtime = "deno" as Runtime, port }: {
    readonly addressed?: (word: string) => string;
    readonly runtime?: Runtime;
    readonly port?: number;
  } = {},
): Promise<Replica> {
  const { template } = workload["spec"];
  await layOut(objects, template, folder);
  const listen = port ?? await freePort();
  const args = (template.spec.containers[0].args as readonly string[]).map((word) => below(folder, addressed(word)))
    .filter((word) => !word.startsWith("--secure-port="))
    .map((word) => word.replace("--bind-address=0.0.0.0", "--bind-address=127.0.0.1"));
  const program = await startProgram([...args, `--secure-port=${listen}`], runtime, folder);
  let ended = false;
  program.exited.then(() => ended = true);
  await until(() => {
    assert.ok(ended || /^Thole serves on/m.test(program.output()), "it does not serve yet");
  });
  assert.ok(!ended, `the server ended: ${program.errors()}`);
  return { ...program, port: listen };
}
