import assert from "node:assert/strict";
import { test } from "node:test";
import { etcdPlaces, etcdServers, overrideMistakes, unknownOverrides } from "./server-overrides.ts";

const settingsOf = (...overrides: readonly string[]) => ({ "etcd-servers": ["http://a", "http://b"], "etcd-servers-overrides": overrides });
const kind = (group: string, plural: string, custom?: true) => ({ group, plural, resource: custom === undefined ? {} : { custom } });
const events = kind("", "events");

test("etcdPlaces() has a number for each set of servers, and the one of --etcd-servers is the first", () => {
  const places = etcdPlaces(
    settingsOf("/events#http://c", "apps/*#http://d;http://c", "apps/replicasets#http://c", "/secrets#http://b;http://a"),
  );
  assert.deepEqual(places.servers, [["http://a", "http://b"], ["http://c"], ["http://d", "http://c"]]);
  const numbers = [events, kind("", "secrets"), kind("", "pods"), kind("apps", "deployments"), kind("apps", "replicasets")].map(places.of);
  assert.deepEqual(numbers, [1, 0, 0, 2, 1]);
  assert.equal(places.of(kind("apps", "deployments", true)), 0, "custom resources have no etcd of their own");
});

test("etcdServers() has each server once", () => {
  assert.deepEqual(etcdServers(settingsOf("/events#http://c;http://a", "/pods#http://c")), ["http://a", "http://b", "http://c"]);
});

test("unknownOverrides() finds resources that are not stored", () => {
  const places = etcdPlaces(
    settingsOf("/events#http://c", "/event#http://c", "apps/*#http://c", "batch/*#http://c", "x.io/ships#http://c"),
  );
  const stored = [events, kind("apps", "deployments"), kind("x.io", "ships", true)];
  assert.deepEqual(unknownOverrides(places, stored), ["/event", "batch/*", "x.io/ships"]);
});

test("overrideMistakes() names what is no override, without passwords, and needs an etcd", () => {
  assert.deepEqual(overrideMistakes(settingsOf("/events#http://c;https://d:2379/")), []);
  const form = (text: string) => `flag "--etcd-servers-overrides": "${text}" must be formatted as group/resource#server;server`;
  for (const item of ["events", "events#http://c", "/events", "a/b/c#http://c"]) {
    assert.deepEqual(overrideMistakes(settingsOf(item)), [form(item.split("#")[0]!)], item);
  }
  assert.deepEqual(overrideMistakes(settingsOf("/events#http://user:secret@c#x")), [form("/events")]);
  const address = (text: string) => `flag "--etcd-servers-overrides": "${text}" is not an address such as "https://10.0.0.1:2379"`;
  assert.deepEqual(overrideMistakes(settingsOf("/events#c;http://d/e", "/pods#")), [address("c"), address("http://d/e"), address("")]);
  assert.deepEqual(overrideMistakes({ ...settingsOf("/events#http://c"), "etcd-servers": [] }), [
    'flag "--etcd-servers-overrides" needs "--etcd-servers": the embedded store is one file with all objects',
  ]);
});
