import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { escaped, type PageContent, pageText } from "./page.ts";
import { bucketsOf, quantileOf, samplesOf, since, sumOf } from "../metrics/samples.ts";
import type { KindState, ServerState } from "./state.ts";
import { refusedText } from "./refused.ts";
import { style, styleHash } from "./style.ts";

const text = `# HELP a Some.
# TYPE a counter
a{x="1",y="a\\\\n\\"b\\n,}"} 2
a 3
ab{x="1"} 5
h_bucket{le="0.1",verb="GET"} 8
h_bucket{le="1",verb="GET"} 10
h_bucket{le="+Inf",verb="GET"} 10
h_bucket{le="+Inf",verb="LIST"} 7
`;

test("samplesOf() reads the samples of the wanted metrics, with escaped labels", () => {
  const samples = samplesOf(text, ["a", "none"]);
  assert.deepEqual([...samples.keys()], ["a", "none"]);
  const [first, second] = samples.get("a")!;
  assert.deepEqual([...first!.labels], [["x", "1"], ["y", 'a\\n"b\n,}']]);
  assert.deepEqual([first!.value, second!.value, second!.labels.size, sumOf(samples.get("a")!)], [2, 3, 0, 5]);
});

test("samplesOf() reads any text to its end", () => {
  for (const broken of ["", "\n\n", "a{", 'a{x="', 'a{x="\\', "a{x} 1", "a", 'a{x="1"', "a{}"]) {
    assert.equal(samplesOf(broken, ["a"]).size, 1);
  }
});

test("quantileOf() interpolates within a bucket, as Prometheus", () => {
  const buckets = bucketsOf(samplesOf(text, ["h_bucket"]).get("h_bucket")!, (labels) => labels.get("verb") === "GET");
  assert.equal(quantileOf(buckets, 0.4), 0.05);
  assert.equal(quantileOf(buckets, 0.9), 0.55);
  assert.equal(quantileOf(since(buckets, buckets), 0.5), undefined);
  assert.equal(quantileOf(new Map([[1, 0], [Infinity, 4]]), 0.5), 1, "the last finite bound for what is above it");
});

const kind: KindState = { kind: "Rod", group: "example.com", version: "v1", plural: "rods", namespaced: true, objects: 3, watches: 1 };
const state: ServerState = {
  uptimeSeconds: 4000,
  residentBytes: 2 ** 27,
  storeBytes: undefined,
  workers: undefined,
  inFlight: 0,
  watches: 1,
  perSecond: 12.5,
  median: 0.004,
  p99: 1.5,
  period: 5,
  verbs: [{ verb: "GET", perSecond: 1, median: undefined, p99: undefined, total: 12_345, failed: 0 }],
  kinds: [kind],
  kindsMore: 2,
  store: [{ operation: "create", perSecond: 2, median: 0.0021, p99: 0.03, total: 77, failed: 1 }],
  controllers: [
    { name: "namespace", doing: "running", failures: 0, queue: { depth: 3, added: 4, retries: 0 } },
    { name: "publisher", doing: "failed", failures: 2, queue: undefined },
    { name: "idle", doing: "waiting", failures: 0, queue: undefined },
  ],
  leads: true,
};
const content: PageContent = {
  version: "Thole 0",
  store: "sqlite",
  state,
  failing: [],
  plugins: [{ name: "rods", summary: "Rods." }],
  gates: [{ name: "WatchList", stage: "Beta", on: true }],
  errors: [{ at: 0, module: "", message: "a store failed", todo: "free space: docs/operators-guide.md#the-disk-is-full" }],
  now: 0,
  refresh: 5,
};

test("pageText() shows the figures, the kinds with their links, controllers, errors and gates", () => {
  const page = pageText(content);
  for (
    const part of [
      '<b class="good">ready</b>',
      "<dt>99 of 100 within</dt><dd>1.5 s</dd>",
      "<dt>half of them within</dt><dd>4.0 ms</dd>",
      "<dt>memory</dt><dd>128 MiB</dd>",
      "of the last 5 s",
      '<a href="/apis/example.com/v1/rods?limit=50">Rod</a>',
      '<td class="number">12,345</td>',
      "and 2 more kinds",
      "They run in this server.",
      '<td>create</td><td class="number">2.0</td><td class="number">2.1 ms</td><td class="number">30 ms</td><td class="number">77</td>',
      '<td>namespace</td><td><span class="good">running</span></td><td class="number">0</td><td class="number">3</td>',
      '<td>publisher</td><td><span class="bad">failed, starts again</span></td><td class="number">2</td><td class="number">–</td>',
      '<td>idle</td><td><span class="soft">waits: another server leads</span>',
      'a store failed<br><span class="soft">free space: docs/operators-guide.md#the-disk-is-full</span>',
      'WatchList <span class="soft">Beta</span> <b class="good">on</b>',
      '<meta http-equiv="refresh" content="5">',
    ]
  ) assert.ok(page.includes(part), part);
  assert.ok(!pageText({ ...content, refresh: 0 }).includes("http-equiv"));
  const unready = pageText({ ...content, failing: [{ name: "etcd", reason: "no answer" }, { name: "informer-sync" }] });
  assert.match(unready, /<title>Not ready[\s\S]*<b class="bad">not ready<\/b>/);
  assert.ok(unready.includes('<td><b class="bad">etcd</b></td><td>no answer</td>'));
  assert.ok(unready.includes('<span class="soft">the reason needs the right to get /readyz/informer-sync</span>'));
});

test("pageText() escapes every text", () => {
  const hostile = `<script>alert("1")</script>'&`;
  const page = pageText({
    ...content,
    version: hostile,
    failing: [{ name: hostile, reason: hostile }, { name: hostile }],
    state: {
      ...state,
      kinds: [{ ...kind, kind: hostile, group: hostile, version: hostile, plural: hostile }],
      controllers: [{ ...state.controllers[0]!, name: hostile }],
      store: [{ ...state.store[0]!, operation: hostile }],
      verbs: [{ ...state.verbs[0]!, verb: hostile }],
    },
    plugins: [{ name: hostile, summary: hostile }],
    gates: [{ name: hostile, stage: "Beta", on: true }],
    errors: [{ at: 0, module: hostile, message: hostile, todo: hostile }],
  });
  assert.ok(!page.includes("<script"));
  assert.ok(page.split(escaped(hostile)).length > 10);
  assert.equal(escaped(hostile), "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;");
});

test("refusedText() escapes the message, which has the name of a user", () => {
  const page = refusedText("No", 'User "<script>" cannot');
  assert.ok(page.includes("User &quot;&lt;script&gt;&quot; cannot"));
  assert.match(page, /kubectl proxy --port=8001/);
});

test("the content security policy has the hash of the style", () => {
  assert.equal(styleHash, `sha256-${createHash("sha256").update(style).digest("base64")}`);
});

test("pageText() shows the workers of a server that has several", () => {
  assert.doesNotMatch(pageText(content), /<dt>workers/);
  assert.match(pageText({ ...content, state: { ...state, workers: { ready: 1, configured: 2 } } }), /<dt>workers<\/dt><dd>1 of 2<\/dd>/);
});
