import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock, untilAborted } from "../../../core/async.ts";
import {
  type ClusterApi,
  ClusterError,
  type ClusterTrust,
  clusterWatchMsMax,
  followClusterTrust,
  noTrust,
  readClusterTrust,
} from "./cluster-trust.ts";

const never = new AbortController().signal;
const published = {
  "client-ca-file": "clients",
  "requestheader-client-ca-file": "proxies",
  "requestheader-allowed-names": '["front-proxy-client"]',
  "requestheader-username-headers": '["X-Remote-User"]',
  "requestheader-group-headers": '["X-Remote-Group"]',
  "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
};
const configMap = (data: unknown) => ({ kind: "ConfigMap", apiVersion: "v1", data });
const listed = (version: string, ...items: readonly object[]) => ({ metadata: { resourceVersion: version }, items: items.map(configMap) });
const answering = (get: ClusterApi["get"]): ClusterApi => ({
  get,
  async *watch() {},
});

test("readClusterTrust() reads authorities, names and headers", async () => {
  const paths: string[] = [];
  const api = answering((path) => (paths.push(path), Promise.resolve(configMap(published))));
  assert.deepEqual(await readClusterTrust(api, never), {
    clientCa: "clients",
    frontProxyCa: "proxies",
    frontProxy: {
      "requestheader-allowed-names": ["front-proxy-client"],
      "requestheader-username-headers": ["X-Remote-User"],
      "requestheader-uid-headers": [],
      "requestheader-group-headers": ["X-Remote-Group"],
      "requestheader-extra-headers-prefix": ["X-Remote-Extra-"],
    },
  });
  assert.deepEqual(paths, ["/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"]);
});

test("readClusterTrust() trusts nothing if nothing is published, and explains a 403", async () => {
  const failing = (status: number) => answering(() => Promise.reject(new ClusterError(status, "no")));
  assert.deepEqual(await readClusterTrust(failing(404), never), noTrust);
  await assert.rejects(readClusterTrust(failing(403), never), /extension-apiserver-authentication of the cluster: no\. Usually fixed by/);
  await assert.rejects(readClusterTrust(failing(500), never), /of the cluster: no$/);
});

test("readClusterTrust() rejects invalid lists of names", async () => {
  for (const bad of ["X-Remote-User", '{"a":1}', "[1]", "null", '["a"']) {
    const api = answering(() => Promise.resolve(configMap({ ...published, "requestheader-username-headers": bad })));
    await assert.rejects(readClusterTrust(api, never), /requestheader-username-headers .* is not a JSON list of strings/, bad);
  }
  await assert.rejects(readClusterTrust(answering(() => Promise.resolve(configMap("text"))), never), /is not a map/);
});

test("followClusterTrust() activates each change, keeps the active trust after an invalid one, a deletion and an error, and starts again", async () => {
  const event = (type: string, data: object) => ({ type, object: configMap(data) });
  const rounds: (readonly unknown[] | Error)[] = [
    [event("ADDED", published), event("MODIFIED", { ...published, "client-ca-file": "second" })],
    new Error("connection refused"),
    [event("MODIFIED", { ...published, "requestheader-group-headers": "bad" }), event("DELETED", published)],
    [{ type: "ERROR", object: { message: "too old" } }],
    [event("ADDED", { ...published, "client-ca-file": "refused" }), event("MODIFIED", { ...published, "client-ca-file": "last" })],
  ];
  const ended = new AbortController(), taken: string[] = [], failures: string[] = [], waits: number[] = [];
  let lists = 0;
  const api: ClusterApi = {
    get(path) {
      assert.match(path, /configmaps\?fieldSelector=metadata\.name%3Dextension-apiserver-authentication$/);
      return Promise.resolve(++lists === 3 ? listed("v3", { ...published, "client-ca-file": "listed" }) : listed(`v${lists}`));
    },
    async *watch(path, signal) {
      assert.match(path, /configmaps\?fieldSelector=metadata\.name%3Dextension-apiserver-authentication&watch=1/);
      assert.equal(new URLSearchParams(path.split("?")[1]).get("resourceVersion"), `v${lists}`);
      const round = rounds.shift();
      if (round instanceof Error) throw round;
      if (round === undefined) {
        ended.abort();
        return await untilAborted(signal);
      }
      yield* round;
    },
  };
  const clock = {
    now: systemClock.now,
    after: (ms: number, run: () => void) => ms === clusterWatchMsMax ? () => {} : (waits.push(ms), systemClock.after(0, run)),
  };
  const changed = ({ clientCa }: ClusterTrust) => {
    if (clientCa === "refused") throw new Error("not a certificate");
    taken.push(clientCa);
  };
  const needs = { api, clock, random: () => 0.5, signal: ended.signal, failed: (reason: string) => void failures.push(reason) };
  await followClusterTrust(needs, changed);
  assert.deepEqual(taken, ["clients", "second", "listed", "last"]);
  assert.deepEqual(failures, [
    "connection refused",
    "requestheader-group-headers of ConfigMap kube-system/extension-apiserver-authentication is not a JSON list of strings",
    "the watch of ConfigMap kube-system/extension-apiserver-authentication failed: too old",
    "not a certificate",
  ]);
  assert.ok(waits.every((ms) => ms >= 500) && waits[1]! > waits[0]!, `${waits}`);
});

test("followClusterTrust() opens a watch again whose connection died without an end", async () => {
  const ended = new AbortController(), taken: string[] = [], failures: string[] = [];
  let watches = 0;
  const api: ClusterApi = {
    get: () => Promise.resolve(listed("1")),
    async *watch(_path, signal) {
      watches++;
      yield { type: "ADDED", object: configMap({ ...published, "client-ca-file": `number ${watches}` }) };
      if (watches === 2) ended.abort();
      await untilAborted(signal);
      throw signal.reason;
    },
  };
  // The bound of the first watch is over at once, that of the second is never reached.
  const clock = {
    now: systemClock.now,
    after: (ms: number, run: () => void) => ms === clusterWatchMsMax && watches > 0 ? () => {} : systemClock.after(0, run),
  };
  const needs = { api, clock, random: () => 0.5, signal: ended.signal, failed: (reason: string) => void failures.push(reason) };
  await followClusterTrust(needs, ({ clientCa }) => void taken.push(clientCa));
  assert.deepEqual(taken, ["number 1", "number 2"]);
  assert.deepEqual(failures, ["the watch did not end in time"]);
});

test("followClusterTrust() reports a list without a version, and one that is refused, and begins again", async () => {
  const ended = new AbortController(), failures: string[] = [], answers: unknown[] = [{ items: [] }, new ClusterError(403, "no right")];
  const api: ClusterApi = {
    get() {
      const answer = answers.shift();
      if (answer === undefined) ended.abort();
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    async *watch() {},
  };
  const clock = { now: systemClock.now, after: (_ms: number, run: () => void) => systemClock.after(0, run) };
  const needs = { api, clock, random: () => 0.5, signal: ended.signal, failed: (reason: string) => void failures.push(reason) };
  await followClusterTrust(needs, () => assert.fail("nothing is published"));
  assert.deepEqual(failures, ["the list of ConfigMaps in kube-system has no version", "no right"]);
});
