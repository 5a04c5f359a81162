/**
 * `npm run compare -- --peer KUBECONFIG [--kinds apps,v1/pods] [--objects 500] [--seed N] [--texts]`: sends generated creates and updates to a test server and
 * to a kube-apiserver of release 1.35, and lists the answers that differ. `--objects`: changed objects of each kind. `--texts` lists different messages too. The
 * peer needs a user who may do everything; the namespace of the run is deleted at its end. `--walks N`: N objects of each kind in each version that is served,
 * each made from the one before by one change that its schema allows, in place of changed recordings. `--kubectl KUBECONFIG`: runs the commands of
 * kubectl-commands.ts against a running server with this kubeconfig and against the peer (`--kinds`: names of their groups; `--program`: another kubectl).
 * `--sequences selectors,bindings,evictions`: requests with states of their own (sequences.ts), `--objects` pods of each. `--runtime-config` and
 * `--feature-gates`: those of the test server, such as `api/all=true`; the peer must have the same.
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
import { recordedWords } from "./words.ts";
import { compareKubectl, shownDifference } from "./kubectl.ts";
import { groups } from "./kubectl-commands.ts";
import { requestFor } from "../../plugins/certificates/test-context.ts";
import { kindOf } from "./walk.ts";
import { sequences } from "./sequences.ts";
import { walkedKinds, walkKind } from "./walks.ts";
import { type Ask, compareKind, type Difference } from "./compare-kind.ts";

const { values: flags } = parseArgs({
  options: {
    peer: { type: "string" },
    kinds: { type: "string", default: "" },
    objects: { type: "string", default: "500" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    walks: { type: "string" },
    sequences: { type: "string" },
    kubectl: { type: "string" },
    program: { type: "string", default: "kubectl" },
    "runtime-config": { type: "string", default: "" },
    "feature-gates": { type: "string", default: "" },
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
const theirs: Ask = async (method, path, body, headers = {}) => {
  const send = () =>
    client.send({
      method: method as "POST",
      path,
      ...(body === undefined ? {} : { json: valueText(body) }),
      headers,
      signal: AbortSignal.timeout(30_000),
    });
  // The peer may close a connection that was idle at the moment in which it is used.
  const sent = await send().catch(send);
  return { status: sent.status, body: sent.body as Json | undefined };
};
/** Controllers that a kube-controller-manager has, which does not run beside the peer. */
const controllers = ["-*"];
const switches = { "runtime-config": switchesOf(flags["runtime-config"]), "feature-gates": switchesOf(flags["feature-gates"]) };
await using server = await openTestServer({ unexpectedErrors: "answer", settings: { controllers, ...switches } });
const ours: Ask = async (method, path, body, headers = {}) => {
  const sent = body === undefined
    ? { headers }
    : { headers: { "content-type": "application/json", "user-agent": "thole", ...headers }, body: valueText(body) };
  const response = await server.handle(new Request(`https://test${path}`, { method, ...sent }));
  const text = await response.text();
  return { status: response.status, body: isJson(response) ? JSON.parse(text) as Json : text };
};
function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("application/json") === true;
}
const { catalog } = activeConfigOf(withDefaults({ "data-dir": ":memory:", ...switches }), plugins);

/** Reads `name=true,other=false`, as the flags of the server. */
function switchesOf(text: string): Readonly<Record<string, boolean>> {
  const entries = text.split(",").filter((each) => each !== "").map((each) => each.split("=", 2));
  return Object.fromEntries(entries.map(([name = "", value]) => [name, value !== "false"]));
}

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
    const key = each.path === undefined ? [each.what.replace(/ = .*| removed/, ""), ...meanings].join("\n") : kindOf(each),
      group = groups.get(key);
    if (group === undefined) groups.set(key, { first: each, count: 1 });
    else group.count++;
  }
  return [...groups.values()];
}

for (const ask of [ours, theirs]) await ask("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
for (const ask of [ours, theirs]) await ask("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "default" } }); // there may be no controller
let failures = 0;
const isWanted = (place: string) =>
  wanted.length === 0 || wanted.some((each) => place === each || place.startsWith(`${each}/`) || place.split("/")[0] === each);
/** Prints what differs, and counts it. */
function report(head: string, differences: readonly Difference[]): void {
  const real = differences.filter(({ isText }) => !isText);
  failures += real.length;
  console.log(head.replace("DIFFER", `${real.length} differ, ${differences.length - real.length} in texts`));
  for (const { first: { method, path = "", what, body, ours, theirs }, count } of grouped(flags.texts ? differences : real)) {
    console.log(
      `  ${method}${path === "" ? "" : ` ${path.split("/").slice(-2).join("/")}`} ${what}${count === 1 ? "" : ` (and ${count - 1} alike)`}`,
    );
    if (body !== undefined) console.log(`    body:   ${valueText(body)}`);
    console.log(`    ours:   ${ours}\n    theirs: ${theirs}`);
  }
}
async function walkAll(): Promise<void> {
  const words = recordedWords(namespace, word), servers = { ours, theirs };
  for (const kind of walkedKinds(catalog, recordedBases(flags["runtime-config"] !== ""))) {
    if (!isWanted(`${kind.endpoint.apiVersion}/${kind.endpoint.plural}`)) continue;
    const walked = await walkKind(kind, { servers, words, seed, count: Number(flags.walks), namespace, word });
    const left = walked.left.length === 0 ? "" : `, bases that were not created: ${walked.left.join("; ")}`;
    report(`${walked.place}: ${walked.objects} objects, ${walked.requests} requests, DIFFER${left}`, walked.differences);
  }
}
async function compareCommands(kubeconfig: string): Promise<void> {
  const chosen = Object.fromEntries(Object.entries(groups).filter(([name]) => wanted.length === 0 || wanted.includes(name)));
  const csr = requestFor("compared");
  await compareKubectl(
    chosen,
    { ours: kubeconfig, theirs: peer, program: flags.program, values: { ns: namespace, csr } },
    ({ line, ours, theirs }) => console.log(`  kubectl ${line}\n${shownDifference(ours, theirs)}`),
    (group, commands, differing) => {
      failures += differing;
      console.log(`${group}: ${commands} commands, ${differing} differ`);
    },
  );
}
async function changeRecordings(): Promise<void> {
  for (const { path, objects: recorded } of recordedBases(flags["runtime-config"] !== "")) {
    const every = Math.ceil(recorded.length / basesMax), objects = recorded.filter((_, index) => index % every === 0);
    const place = path.replace(/^\/apis?\//, "").replace("/namespaces/${ns}", "");
    if (!isWanted(place)) continue;
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
    const unused = left.length === 0
      ? ""
      : `, ${left.length} of ${objects.length} bases were not created (${[...new Set(left)].join("; ")})`;
    report(`${place}: ${requests} requests, DIFFER${unused}`, differences);
  }
}
try {
  if (flags.kubectl !== undefined) await compareCommands(flags.kubectl);
  else if (flags.sequences !== undefined) {
    for (const name of flags.sequences.split(",")) {
      const run = sequences[name];
      if (run === undefined) throw new Error(`there are no sequences ${name}: ${Object.keys(sequences).join(", ")}`);
      const { place, requests, differences } = await run({ ours, theirs, namespace, seed, count, catalog });
      report(`${place}: ${requests} requests, DIFFER`, differences);
    }
  } else await (flags.walks === undefined ? changeRecordings() : walkAll());
} finally {
  await theirs("DELETE", `/api/v1/namespaces/${namespace}`);
  client.close();
}
console.log(`seed ${seed}`);
process.exitCode = failures === 0 ? 0 : 1;
