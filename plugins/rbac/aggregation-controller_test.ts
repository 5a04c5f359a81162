import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api, ApiList } from "../../core/api.ts";
import { systemClock } from "../../core/async.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { StatusError } from "../../core/status-error.ts";
import { fakeApi, fakeContext } from "../../testing/fakes.ts";
import { aggregateRules, aggregationController } from "./aggregation-controller.ts";
import type { ClusterRole, PolicyRule } from "./schema.ts";

const rule = (...resources: string[]): PolicyRule => ({ verbs: ["get"], apiGroups: [""], resources });
const part = (name: string, rules: readonly PolicyRule[], labels: Readonly<Record<string, string>> = { to: "sum" }) =>
  ({ metadata: { name, uid: `u-${name}`, labels }, rules }) as unknown as ClusterRole; // `as`: kind and version are not used
const sum = (name: string, ...values: string[]) => ({
  ...part(name, []),
  aggregationRule: { clusterRoleSelectors: values.map((to) => ({ matchLabels: { to } })) },
});

test("a role is built from the roles of each selector in turn, by name, with each rule once and never from itself", () => {
  const own = { ...sum("m", "two", "sum"), rules: [rule("kept")] };
  const roles = [
    part("a", [rule("x"), rule("y")]),
    own,
    part("n", [rule("y"), rule("z")]),
    part("o", [rule("w")], { to: "two" }),
    part("p", [rule("v")], { to: "other" }),
  ];
  assert.deepEqual(aggregateRules(own, roles), [rule("w"), rule("x"), rule("y"), rule("z")]);
  assert.deepEqual(aggregateRules({ ...own, aggregationRule: { clusterRoleSelectors: [{}] } }, roles)?.length, 5, "{} selects every role");
  assert.equal(aggregateRules(roles[0]!, roles), undefined);
});

interface Watched {
  /** The names that were applied, with their UIDs. */
  readonly applied: string[];
  readonly logged: string[];
}
/** Runs the controller with these roles, `after` a number of applies until `done` of them. */
async function run(roles: readonly ClusterRole[], done: number, outcome: (name: string) => Promise<ApiObject>): Promise<Watched> {
  const seen: Watched = { applied: [], logged: [] }, ending = new AbortController(), enough = Promise.withResolvers<void>();
  const api: Partial<Api> = {
    list: () => Promise.resolve({ items: roles } as unknown as ApiList), // `as`: only the items are read
    async *watch() {
      for (const object of roles) yield { type: "ADDED", object };
      await enough.promise;
    },
    async apply(_groupVersion, _resource, _namespace, name, object) {
      seen.applied.push(`${name} ${(object as ApiObject).metadata.uid}`); // `as`: the controller applies metadata
      if (seen.applied.length === done) enough.resolve();
      return await outcome(name);
    },
  };
  const logError = (sentence: string) => void seen.logged.push(sentence);
  await aggregationController.run(fakeContext({ api: fakeApi(api), logError }), ending.signal);
  return seen;
}

test("a role that cannot be written is logged and does not hold up the others", async () => {
  const sums = ["s1", "s2", "s3"].map((name) => sum(name, "sum")), roles = [...sums, part("x", [rule("x")])];
  for (const broken of ["s1", "s2", "s3"]) {
    const outcome = (name: string) => name === broken ? Promise.reject(new Error("too large")) : Promise.resolve(sums[0]!);
    const { applied, logged } = await run(roles, 3, outcome);
    assert.deepEqual(applied, ["s1 u-s1", "s2 u-s2", "s3 u-s3"]);
    assert.deepEqual(logged, [`the rules of ClusterRole ${broken} cannot be written; it tries again`]);
  }
});

test("a role whose selectors cannot be read is logged and does not hold up the others", async () => {
  const sums = ["s1", "s2", "s3"].map((name) => sum(name, "sum"));
  for (const broken of ["s1", "s2", "s3"]) {
    // `as`: no role that the server stores
    const roles = sums.map((each) =>
      each.metadata.name === broken ? { ...each, aggregationRule: { clusterRoleSelectors: 1 } } as unknown as ClusterRole : each
    );
    const { applied, logged } = await run([...roles, part("x", [rule("x")])], 2, () => Promise.resolve(sums[0]!));
    assert.deepEqual(applied, ["s1 u-s1", "s2 u-s2", "s3 u-s3"].filter((each) => !each.startsWith(broken)));
    assert.deepEqual(logged, [`the rules of ClusterRole ${broken} cannot be written; it tries again`]);
  }
});

test("a role that was deleted or created again meanwhile is not an error", async () => {
  for (const reason of ["Conflict", "NotFound"] as const) {
    const { applied, logged } = await run([sum("s1", "sum"), part("x", [rule("x")])], 1, () => Promise.reject(new StatusError(reason, "")));
    assert.deepEqual([applied, logged], [["s1 u-s1"], []]);
  }
});

test("roles that are built from each other get their rules in one pass, and the controller has not started before", async () => {
  const ofAll = sum("all", "some"), ofSome = { ...sum("some", "parts"), metadata: { ...sum("some").metadata, labels: { to: "some" } } };
  const roles = [ofAll, ofSome, part("x", [rule("x")], { to: "parts" })], written: unknown[] = [], ending = new AbortController();
  let isRead = false;
  const api: Partial<Api> = {
    list: () => Promise.resolve({ items: roles } as unknown as ApiList), // `as`: as above
    async *watch() {
      yield { type: "ADDED", object: roles[0]! };
      isRead = true;
    },
    async apply(_groupVersion, _resource, _namespace, name, object) {
      written.push([name, (object as Partial<ClusterRole>).rules, isRead]);
      return await Promise.resolve(roles[0]!);
    },
  };
  await aggregationController.run(fakeContext({ api: fakeApi(api) }), ending.signal);
  assert.deepEqual(written, [["all", [rule("x")], false], ["some", [rule("x")], false]]);
});

test("roles are not built from a part of the initial state, however slowly it arrives", async () => {
  const built = { ...sum("all", "sum"), rules: [rule("x"), rule("y")] }, roles = [built, part("x", [rule("x")]), part("y", [rule("y")])];
  const written: unknown[] = [], ending = new AbortController(), gathered = () => new Promise((resolve) => setTimeout(resolve, 10));
  const api: Partial<Api> = {
    list: () => Promise.resolve({ items: roles } as unknown as ApiList), // `as`: as above
    async *watch(_version, _resource, _namespace, _query, _signal, _scope, synced) {
      for (const object of roles) {
        yield { type: "ADDED", object };
        await gathered();
      }
      synced?.();
      await gathered();
      yield { type: "ADDED", object: part("z", [rule("z")]) };
      await gathered();
    },
    async apply(_groupVersion, _resource, _namespace, name, object) {
      written.push([name, (object as Partial<ClusterRole>).rules]);
      return await Promise.resolve(built);
    },
  };
  // With a clock that tests advance, gathering takes one turn.
  await aggregationController.run(fakeContext({ api: fakeApi(api), clock: { ...systemClock, hold: () => () => {} } }), ending.signal);
  assert.deepEqual(written, [["all", [rule("x"), rule("y"), rule("z")]]]);
});
