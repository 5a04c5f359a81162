// In Deno's suite only: the documents are fetched through a fake.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConnectReply, PeerError, type Peers } from "../../core/connect.ts";
import type { DelegatedRequest, RegisteredVersion } from "../../core/delegate.ts";
import { manualClock } from "../../core/test-clock.ts";
import { remoteDocumentBytesMax } from "./ask-document.ts";
import { firstDiscoveryMs, RemoteDocuments } from "./remote-documents.ts";

const peers: Peers = {
  ask: () => Promise.reject(new PeerError("no")),
  addressesOf: () => Promise.reject(new PeerError("no")),
  recoded: (body) => body,
};
const version = (server: string, version = "v1"): RegisteredVersion => ({
  ...{ group: `${server}.example`, version, groupPriority: 1, versionPriority: 1, isRemote: true, server },
});
const kind = { group: "", version: "", kind: "Thing" };
const thing = { resource: "things", responseKind: kind, scope: "Cluster", singularResource: "thing", verbs: ["get"] };
const stale = { freshness: "Stale", resources: [] }, current = { freshness: "Current", resources: [thing] };

type Answer = (request: DelegatedRequest) => ConnectReply | Promise<ConnectReply>;
const json = (value: unknown, headers: Record<string, string> = {}): ConnectReply => ({
  status: 200,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});
const status = (status: number): ConnectReply => ({ status, headers: {}, body: "" });
/** A server with one resource. Each document has an ETag. */
const healthy = (server: string): Answer => ({ path, headers }) => {
  if (headers["if-none-match"] === "e") return status(304);
  if (path === "/apis") {
    const versions = [{ version: "v1", resources: [thing], freshness: "Current" }];
    return json({ items: [{ metadata: { name: `${server}.example` }, versions }] }, {
      "content-type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
      "etag": "e",
    });
  }
  const name = `apis/${server}.example/v1`;
  if (path === "/openapi/v3") {
    return json({ paths: { [name]: { serverRelativeURL: `/openapi/v3/${name}?hash=AB` }, version: { serverRelativeURL: "/x" } } });
  }
  return json({ paths: {} }, { etag: "e" });
};
const hangs: Answer = ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

/** Documents of servers by name, and what was asked. */
function scene(servers: Record<string, Answer>, changed = (): void => {}) {
  const clock = manualClock(0), ending = new AbortController(), asked: string[] = [], logged: string[] = [];
  const documents = new RemoteDocuments({
    clock,
    peers,
    changed,
    signal: ending.signal,
    logError: (sentence, error) => logged.push(`${sentence}: ${(error as Error).message}`),
    delegate: {
      async forward({ server }, request) {
        asked.push(`${server} ${request.path} ${request.user.name} ${request.headers["if-none-match"] ?? "-"}`);
        return await servers[server]!(request);
      },
    },
  });
  return { documents, clock, asked, logged, servers, end: () => ending.abort() };
}
const settle = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test("documents are fetched when a version is registered, and once a minute with their ETags", async () => {
  const { documents, clock, asked, end } = scene({ a: healthy("a") });
  documents.follow([version("a"), { ...version("local"), isRemote: false, server: "" }]);
  assert.deepEqual(documents.described(version("a")), stale, "nothing is known yet");
  await settle();
  assert.deepEqual(documents.described(version("a")), current);
  assert.deepEqual([...documents.hashes()], [["a.example/v1", "AB"]]);
  assert.equal(documents.specs().length, 1);
  assert.deepEqual(asked.splice(0).sort(), [
    "a /apis system:kube-aggregator -",
    "a /openapi/v2 system:aggregator -",
    "a /openapi/v3 system:aggregator -",
  ]);
  const { state } = documents;
  clock.advance(60_000);
  await settle();
  assert.deepEqual(asked.splice(0).sort(), [
    "a /apis system:kube-aggregator e",
    "a /openapi/v2 system:aggregator e",
    "a /openapi/v3 system:aggregator -",
  ]);
  assert.equal(documents.state, state, "nothing has changed");
  assert.deepEqual(documents.described(version("a")), current);
  documents.follow([]);
  assert.deepEqual([documents.hashes().size, documents.specs().length, documents.described(version("a"))], [0, 0, stale]);
  end();
});

test("a server that hangs, answers nonsense or is down is stale, and the others are not affected", async () => {
  const nonsense: Answer = ({ path }) =>
    path === "/openapi/v2"
      ? json([])
      : { status: 200, headers: { "content-type": "application/json;as=APIGroupDiscoveryList" }, body: "<html>" };
  const { documents, clock, servers, logged, end } = scene({ a: healthy("a"), b: hangs, c: nonsense, d: () => status(503) });
  documents.follow(["a", "b", "c", "d"].map((each) => version(each)));
  await settle();
  const shown = () => ["a", "b", "c", "d"].map((each) => documents.described(version(each)).freshness);
  assert.deepEqual(shown(), ["Current", "Stale", "Stale", "Stale"]);
  clock.advance(5_000);
  await settle();
  assert.ok(logged.some((each) => each.includes("discovery of b: no answer within 5000 ms")), logged.join("\n"));
  assert.ok(!logged.some((each) => each.includes(" of d")), "the condition says it");
  for (const each of ["b", "c", "d"]) servers[each] = healthy(each);
  servers["a"] = () => status(500);
  clock.advance(60_000);
  await settle();
  assert.deepEqual(shown(), ["Stale", "Current", "Current", "Current"]);
  assert.deepEqual(documents.specs().map(({ versions }) => versions[0]!.server), ["b", "c", "d"]);
  assert.equal(documents.hashes().size, 4, "the last known hash of a stays");
  end();
});

test("a server without aggregated discovery is asked for each version, and one version that is available is enough", async () => {
  const list = { resources: [{ name: "things", singularName: "thing", namespaced: false, kind: "Thing", verbs: ["get"] }] };
  const { documents, asked, end } = scene({ a: ({ path }) => path.startsWith("/apis/") ? json(list) : status(404) });
  documents.follow([version("a"), version("a", "v2")]);
  await settle();
  assert.deepEqual([documents.described(version("a")), documents.described(version("a", "v2"))], [current, current]);
  assert.deepEqual(asked.filter((each) => each.startsWith("a /apis/")).map((each) => each.split(" ")[1]), [
    "/apis/a.example/v1",
    "/apis/a.example/v2",
  ]);
  assert.deepEqual([documents.hashes().size, documents.specs().length], [0, 0]);
  end();
});

test("a document above its bound is not used", async () => {
  const large = (bytes: number): Answer => ({ path }) =>
    path === "/openapi/v2"
      ? {
        status: 200,
        headers: {},
        body: (async function* () {
          yield new Uint8Array(bytes).fill(32);
        })(),
      }
      : status(503);
  for (const [bytes, count] of [[remoteDocumentBytesMax, 1], [remoteDocumentBytesMax + 1, 0]] as const) {
    const { documents, end } = scene({ a: large(bytes) });
    documents.follow([version("a")]);
    await settle();
    assert.equal(documents.specs().length, count, `${bytes}`);
    end();
  }
});

test("RemoteDocuments knows the collections of servers, also of one that no longer answers", async () => {
  let changes = 0;
  const { documents, servers, clock, end } = scene({ a: healthy("a"), b: hangs }, () => changes++);
  documents.follow([version("a"), version("b")]);
  assert.deepEqual(documents.unknown(), ["a.example/v1", "b.example/v1"]);
  await settle();
  const collection = { groupVersion: "a.example/v1", resource: "things", kind: "Thing", namespaced: false, isRemote: true };
  assert.deepEqual(documents.collections("get"), [collection]);
  assert.deepEqual(documents.collections("delete"), []);
  assert.deepEqual(documents.unknown(), ["b.example/v1"]);
  const before = changes;
  servers["a"] = () => status(500);
  clock.advance(60_000);
  await settle();
  assert.deepEqual(documents.unknown(), ["a.example/v1", "b.example/v1"]);
  assert.deepEqual(documents.collections("get"), [collection]);
  assert.ok(changes > before);
  end();
});

test("a server without v3 documents is legacy while its v2 document is known, and no longer when it has some", async () => {
  const spec = { swagger: "2.0", paths: {} };
  const old: Answer = ({ path }) => path === "/openapi/v2" ? json(spec) : path === "/openapi/v3" ? status(404) : status(503);
  const { documents, servers, clock, end } = scene({ a: old, b: healthy("b") });
  documents.follow([version("a"), version("a", "v2"), version("b")]);
  assert.deepEqual(documents.legacySpecs(), [], "nothing is known yet");
  await settle();
  assert.deepEqual(documents.legacySpecs().map(({ versions, text }) => [versions.map((each) => each.version), text]), [
    [["v1", "v2"], JSON.stringify(spec)],
  ]);
  assert.deepEqual([documents.isLegacy(version("a")), documents.isLegacy(version("b"))], [true, false]);
  servers["a"] = () => status(500);
  clock.advance(60_000);
  await settle();
  assert.deepEqual([documents.specs().length, documents.isLegacy(version("a"))], [1, true], "the last known one stays for v3");
  servers["a"] = healthy("a");
  clock.advance(60_000);
  await settle();
  assert.deepEqual([documents.legacySpecs(), documents.isLegacy(version("a"))], [[], false]);
  end();
});

test("askedOnce() waits until each server was asked once, and not longer than its time for a server that hangs", async () => {
  const { documents, clock, end } = scene({ a: healthy("a"), b: () => status(500), c: hangs });
  const isOver = async (promise: Promise<void>) => {
    let over = false;
    void promise.then(() => over = true);
    await settle();
    return over;
  };
  assert.equal(await isOver(documents.askedOnce()), true, "no server is registered");
  documents.follow([version("a"), version("b")]);
  assert.equal(await isOver(documents.askedOnce()), true, "an error is an answer");
  documents.follow([version("a"), version("b"), version("c")]);
  const waiting = documents.askedOnce();
  assert.equal(await isOver(waiting), false);
  clock.advance(5_000);
  assert.equal(await isOver(waiting), true);
  end();
});

test("askedOnce() does not wait for a server that is no longer registered, and ends at its deadline", async () => {
  const names = Array.from({ length: 100 }, (_, i) => `s${i}`);
  const { documents, clock, end } = scene(Object.fromEntries(names.map((name) => [name, hangs])));
  documents.follow(names.map((name) => version(name)));
  let isOver = false;
  void documents.askedOnce().then(() => isOver = true);
  await settle();
  for (const each of [firstDiscoveryMs / 2, firstDiscoveryMs / 2 - 1]) {
    clock.advance(each);
    await settle();
    assert.equal(isOver, false);
  }
  clock.advance(1);
  await settle();
  assert.equal(isOver, true);
  end();
  const other = scene({ a: hangs });
  other.documents.follow([version("a")]);
  const gone = other.documents.askedOnce();
  other.documents.follow([]);
  await gone;
  other.end();
});
