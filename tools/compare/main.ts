/**
 * `npm run compare -- --peer KUBECONFIG [--kinds apps,v1/pods] [--objects 500] [--seed N] [--texts]`: sends generated creates and updates to a test server and
 * to a kube-apiserver of release 1.35, and lists the answers that differ. `--objects`: changed objects of each kind. `--texts` lists different messages too. The
 * peer needs a user who may do everything; the namespace of the run is deleted at its end.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { readAccess } from "../../client/kubeconfig.ts";
import { randomValue } from "../../core/derive/random-value.ts";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { randomOf } from "../../core/random.ts";
import { activeConfigOf } from "../../server/config/active-config.ts";
import { withDefaults } from "../../server/config/parse.ts";
import { plugins } from "../../plugins/mod.ts";
import { remoteClient } from "../../protocols/remote/remote-client.ts";
import { valueText } from "../../core/value-text.ts";
import { openTestServer } from "../../testing.ts";
import { filledIn, recordedBases } from "./bases.ts";
import { type Change, changesOf, withGenerated } from "./changes.ts";
import { type Ask, compareKind, type Difference } from "./compare-kind.ts";

const { values: flags } = parseArgs({
  options: {
    peer: { type: "string" },
    kinds: { type: "string", default: "" },
    objects: { type: "string", default: "500" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    texts: { type: "boolean", default: false },
  },
});
if (flags.peer === undefined) throw new Error("name the kubeconfig of a kube-apiserver: --peer FILE");
const peer = flags.peer, seed = Number(flags.seed), random = randomOf(seed), count = Number(flags.objects);
const wanted = flags.kinds.split(",").filter((word) => word !== "");
/** Of this run: a namespace that is deleted can stay for a while. */
const namespace = `compare-${Date.now().toString(36)}`, word = `w${seed}`;
/** Bases of one collection: they share its changes. */
const basesMax = 12;

const client = remoteClient(() => readAccess(peer));
const theirs: Ask = async (method, path, body) => {
  const sent = await client.send({
    method: method as "POST",
    path,
    ...(body === undefined ? {} : { json: valueText(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  return { status: sent.status, body: sent.body as Json | undefined };
};
await using server = await openTestServer({ unexpectedErrors: "answer" });
const ours: Ask = async (method, path, body) => {
  const sent = body === undefined ? {} : { headers: { "content-type": "application/json", "user-agent": "thole" }, body: valueText(body) };
  const response = await server.handle(new Request(`https://test${path}`, { method, ...sent }));
  return { status: response.status, body: await response.json() as Json };
};
const { catalog } = activeConfigOf(withDefaults({ "data-dir": ":memory:" }), plugins);

/** A sample of changes to the base, and of generated members of its kind. */
function changesFor(path: string, base: JsonObject): readonly Change[] {
  const [, group = "", version = "", plural = ""] = /^\/api(?:s\/([^/]+))?\/([^/]+)(?:\/namespaces\/[^/]+)?\/([a-z]+)$/.exec(path) ?? [];
  const endpoint = catalog.endpoint(group, version, plural);
  const all = [...changesOf(base)];
  for (let nth = 0; endpoint !== undefined && nth < count; nth++) {
    const generated = randomValue(endpoint.schema, random);
    if (isObject(generated)) all.push(...withGenerated(base, generated));
  }
  return Array.from({ length: Math.min(count, all.length) }, () => all.splice(Math.floor(random() * all.length), 1)[0]!);
}

/** Compares the kinds of one collection. Undefined if the base cannot be created on both servers. */
async function compareBase(template: string, body: JsonObject, nth: number, share: number) {
  const path = filledIn(template, namespace, word), base = named(path, filledIn(body, namespace, word), nth);
  const [mine, peers] = await Promise.all([ours("POST", path, base), theirs("POST", path, base)]);
  if (mine.status !== 201 || peers.status !== 201) return { path, failed: `${mine.status} and ${peers.status}` };
  const compared = await compareKind(path, base, changesFor(path, base).slice(0, share), { ours, theirs });
  // What is not in the namespace of the run would be the default of another base.
  const one = `${path}/${(base["metadata"] as { name: string }).name}`;
  if (!path.includes("/namespaces/")) await Promise.all([ours("DELETE", one), theirs("DELETE", one)]);
  return { path, ...compared };
}

/** Names of bases by collection. */
const taken = new Set<string>();
/** The base with a name, that of another one with a number. */
function named(path: string, base: JsonObject, nth: number): JsonObject {
  const { metadata } = base as { readonly metadata?: JsonObject };
  const { generateName: _, ...rest } = metadata ?? {};
  const recorded = typeof rest["name"] === "string" ? rest["name"] : word,
    name = taken.has(`${path}/${recorded}`) ? `${recorded}-${nth}` : recorded;
  taken.add(`${path}/${name}`);
  return { ...base, metadata: { ...rest, name } };
}

/** Differences that concern the same fields in the same way: the first of each, and their number. */
function grouped(differences: readonly Difference[]): readonly { readonly first: Difference; readonly count: number }[] {
  const groups = new Map<string, { first: Difference; count: number }>();
  for (const each of differences) {
    // Without indexes, and without the message.
    const meanings = [each.ours, each.theirs].map((text) => text.split(" | ").slice(0, -1).join().replace(/[0-9]+/g, "N"));
    const key = [each.what.replace(/ = .*| removed/, ""), ...meanings].join("\n"), group = groups.get(key);
    if (group === undefined) groups.set(key, { first: each, count: 1 });
    else group.count++;
  }
  return [...groups.values()];
}

for (const ask of [ours, theirs]) await ask("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
await theirs("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "default" } }); // there may be no controller
let failures = 0;
try {
  for (const { path, objects: recorded } of recordedBases()) {
    const every = Math.ceil(recorded.length / basesMax), objects = recorded.filter((_, index) => index % every === 0);
    const place = path.replace(/^\/apis?\//, "").replace("/namespaces/${ns}", "");
    if (wanted.length > 0 && !wanted.some((each) => place === each || place.startsWith(`${each}/`) || place.split("/")[0] === each)) {
      continue;
    }
    const share = Math.ceil(count / objects.length), differences: Difference[] = [], left: string[] = [];
    let requests = 0;
    for (const [nth, object] of objects.entries()) {
      const outcome = await compareBase(path, object, nth, share);
      if ("failed" in outcome) left.push(outcome.failed);
      else {
        requests += outcome.requests;
        differences.push(...outcome.differences);
      }
    }
    const real = differences.filter(({ isText }) => !isText);
    failures += real.length;
    const unused = left.length === 0
      ? ""
      : `, ${left.length} of ${objects.length} bases were not created (${[...new Set(left)].join("; ")})`;
    console.log(`${place}: ${requests} requests, ${real.length} differ, ${differences.length - real.length} in texts${unused}`);
    for (const { first: { method, what, ours, theirs }, count } of grouped(flags.texts ? differences : real)) {
      console.log(`  ${method} ${what}${count === 1 ? "" : ` (and ${count - 1} alike)`}\n    ours:   ${ours}\n    theirs: ${theirs}`);
    }
  }
} finally {
  await theirs("DELETE", `/api/v1/namespaces/${namespace}`);
  client.close();
}
console.log(`seed ${seed}`);
process.exitCode = failures === 0 ? 0 : 1;
