// Plugins, versions, resources and gates are changed while two kinds are written, read and watched: the checkers of the guarantees verify
// the histories of the removed and added kind, and of the one that stays.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { inFolder } from "../flags/served.ts";
import { configMaps, leases } from "../guarantees/actors.ts";
import { balanced, nothingMet } from "../guarantees/balanced.ts";
import { violations } from "../guarantees/checkers.ts";
import { eventsOf, type Load, startLoad, told } from "../guarantees/load.ts";
import { type Client, documents, httpsClient } from "../https.ts";
import { type Runtime, startRealServer, startSkipped, until } from "../real-server.ts";

/** Each change is reverted before the next. `away`: config maps are not served meanwhile. */
const switches: readonly { readonly text: string; readonly away: boolean }[] = [
  { text: "plugins: [-configmaps]\n", away: true },
  { text: "runtime-config: {storage.k8s.io/v1: false, v1/secrets: false}\n", away: false },
  { text: "runtime-config: {v1/configmaps: false}\n", away: true },
  { text: "feature-gates: {AllAlpha: true}\nruntime-config: {api/beta: true, api/alpha: true}\n", away: false },
  { text: "feature-gates: {AllBeta: false}\nplugins: [-storage, -csi]\n", away: false },
];
const asItWas = "plugins: []\n";
const seed = Math.floor(Math.random() * 2 ** 32);

async function switched(runtime: Runtime, store: "sqlite" | "etcd", folder: string): Promise<void> {
  const etcd = store === "etcd" ? await startEtcd() : undefined;
  const file = join(folder, "thole.yaml");
  await writeFile(file, asItWas);
  const server = await startRealServer({
    runtime,
    args: [`--config=${file}`, ...(etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`])],
  });
  // A connection for each request, so that no request is repeated without the client's knowledge.
  const client = httpsClient({ ...server, single: true });
  const met = nothingMet(), door = balanced(() => [client], met);
  const loads: Load[] = [];
  const change = async (text: string) => {
    const before = server.errors().length;
    await writeFile(file, text);
    server.signal("SIGHUP");
    await until(() => assert.match(server.errors().slice(before), /the configuration was read again/));
  };
  try {
    const staying = await startLoad(() => door, seed, leases), going = await startLoad(() => door, seed + 1000);
    loads.push(staying, going);
    const goesOn = async (load: Load) => {
      const before = load.progress();
      await until(() => assert.ok(load.progress() > before + 10, `writes and reads continue: ${told(load)}`));
    };
    for (const { text, away } of switches) {
      await Promise.all(loads.map(goesOn));
      const watch = away ? await toTheEnd(door) : undefined;
      await change(text);
      if (watch !== undefined) assert.equal((await watch.last)?.object.code, 404, "a watch of a removed resource gets the error");
      assert.equal((await door.ask(configMaps)).status, away ? 404 : 200, text);
      await goesOn(staying);
      if (!away) await goesOn(going);
      await change(asItWas);
    }
    await Promise.all(loads.map(goesOn));
    for (const load of loads) await load.finish();
  } finally {
    loads.forEach((load) => load.abandon());
    client.close();
    await server.close();
    await etcd?.stop();
  }
  const [staying, going] = loads.map((load) => ({ ...load, line: `seed ${seed} (${runtime}, ${store}): ${told(load)}` }));
  assert.ok(staying !== undefined && going !== undefined);
  console.log(
    `${staying.line}\n${going.line}; watches ended by ${going.counts.ends.map(({ code }) => code).join(" ")}`,
  );
  assert.deepEqual([met.failures, met.retries, met.lost], [[], 0, 0], "no request is dropped");
  assert.deepEqual(violations(staying.history), [], staying.line);
  assert.deepEqual([staying.counts.relists, staying.counts.ends], [staying.watchers, []], "watches of what stays do not notice");
  assert.deepEqual(violations(going.history), [], going.line);
  const told404 = going.counts.ends.filter(({ code }) => code === 404);
  assert.ok(told404.every(({ message }) => message === "the server could not find the requested resource"));
  assert.ok(going.counts.ends.every(({ code }) => code === 404 || code === 410), "and nothing else ends them");
  for (const { history, line } of [staying, going]) {
    assert.ok(eventsOf(history.chains) > 100, `there was too little to prove anything by: ${line}`);
  }
}

/** Opens a watch of config maps. `last`: its last event. */
async function toTheEnd(client: Client): Promise<{ readonly last: Promise<{ readonly object: { readonly code?: number } } | undefined> }> {
  const { chunks } = await client.stream(`${configMaps}?watch=1&resourceVersion=0`);
  const read = async () => {
    let last;
    for await (const event of documents(chunks)) last = event;
    return last;
  };
  return { last: read() };
}

const setups: readonly (readonly [Runtime, "sqlite" | "etcd"])[] = [["deno", "etcd"], ["node", "sqlite"]];
for (const [runtime, store] of setups) {
  test(
    `plugins and gates are changed under load on ${runtime} with ${store}: no request is dropped, no event is lost, repeated or reordered`,
    {
      skip: startSkipped(runtime) || (store === "etcd" && etcdMissing()),
    },
    () => inFolder((folder) => switched(runtime, store, folder)),
  );
}
