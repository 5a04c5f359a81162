import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationAttributes, AuthorizationDecision, UserRules } from "../../../core/access.ts";
import { requestInfo } from "../../request/request-info.ts";
import { alwaysAllow, alwaysDeny, type ChainedAuthorizer, chainOf } from "./mod.ts";

const alice = { name: "alice", groups: ["system:authenticated"] };
const admin = { name: "admin", groups: ["a", "system:masters"] };
const attributes: AuthorizationAttributes = requestInfo("GET", "/api/v1/namespaces/a/pods/b")!;

interface Recorded extends ChainedAuthorizer {
  readonly calls: () => number;
}
/** An authorizer with a fixed decision, synchronous or not, that counts its calls. */
function answering(name: string, decision: AuthorizationDecision | Error, later = false, rules?: Partial<UserRules>): Recorded {
  let calls = 0;
  const authorize = () => {
    calls++;
    if (decision instanceof Error) throw decision;
    return later ? Promise.resolve(decision) : decision;
  };
  const all = { resourceRules: [], nonResourceRules: [], incomplete: false, evaluationError: "", ...rules };
  return { type: "Test", name, authorizer: { name, authorize, ...(rules === undefined ? {} : { rules: () => all }) }, calls: () => calls };
}
const yes = (reason = ""): AuthorizationDecision => ({ verdict: "allow", reason });
const no = (reason: string): AuthorizationDecision => ({ verdict: "deny", reason });
const unsure = (reason: string, error?: string): AuthorizationDecision => ({
  verdict: "noOpinion",
  reason,
  ...(error === undefined ? {} : { error }),
});

test("chainOf() calls authorizers in order until one allows or denies, synchronously or not", async () => {
  for (const later of [false, true]) {
    const first = answering("first", unsure("one"), later), second = answering("second", yes("two"), later);
    const third = answering("third", no("three"), later);
    assert.deepEqual(await chainOf([first, second, third]).decide(alice, attributes), yes("two"));
    assert.deepEqual([first, second, third].map(({ calls }) => calls()), [1, 1, 0]);
    assert.deepEqual(await chainOf([first, third, second]).decide(alice, attributes), no("three"), "a denial has its own reason only");
  }
});

test("chainOf() allows members of system:masters before any authorizer, and no user with a similar name or group", async () => {
  const denies = answering("denies", no("never")), throws = answering("throws", new Error("bug"));
  assert.deepEqual(chainOf([denies, throws]).decide(admin, attributes), yes());
  assert.equal(denies.calls() + throws.calls(), 0);
  for (
    const user of [
      { name: "system:masters", groups: [] },
      { name: "a", groups: ["system:masters "] },
      { name: "a", groups: ["System:masters"] },
      { name: "a", groups: [], extra: { groups: ["system:masters"] } },
    ]
  ) assert.equal((await chainOf([denies]).decide(user, attributes)).verdict, "deny", JSON.stringify(user));
});

test("chainOf() without a decision joins reasons by lines, without duplicate errors", async () => {
  const { decide } = chainOf([
    answering("a", unsure("one", "broken")),
    answering("b", unsure("", "down"), true),
    answering("c", unsure("two", "broken")),
    answering("d", unsure("")),
  ]);
  assert.deepEqual(await decide(alice, attributes), unsure("one\ntwo", "[broken, down]"));
  assert.deepEqual(await chainOf([]).decide(alice, attributes), unsure(""));
  assert.deepEqual(
    await chainOf([answering("a", unsure("", "x")), answering("b", unsure("", "x"))]).decide(alice, attributes),
    unsure("", "x"),
  );
});

test("chainOf() lets a later authorizer allow after an error, and then drops the error", async () => {
  assert.deepEqual(await chainOf([answering("a", unsure("", "down")), answering("b", yes("b"))]).decide(alice, attributes), yes("b"));
});

test("chainOf() fails closed if an authorizer throws or rejects, also before one that would allow", async () => {
  const rejecting: ChainedAuthorizer = {
    type: "Test",
    name: "r",
    authorizer: { name: "r", authorize: () => Promise.reject(new Error("late")) },
  };
  await assert.rejects(
    async () => await chainOf([answering("a", new Error("bug")), answering("b", yes())]).decide(alice, attributes),
    /bug/,
  );
  await assert.rejects(async () => await chainOf([rejecting, answering("b", yes())]).decide(alice, attributes), /late/);
});

test("chainOf() reports decisions of authorizers, and none for system:masters or without an opinion", async () => {
  const seen: string[] = [];
  const { decide } = chainOf([answering("a", unsure("x")), answering("b", no("n"), true)], ({ type, name }, decision) => {
    seen.push(`${type} ${name} ${decision}`);
  });
  await decide(alice, attributes);
  await decide(admin, attributes);
  assert.deepEqual(seen, ["Test b denied"]);
});

test("chainOf().rules lists the rules of all authorizers, or of those of one type", async () => {
  const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: [] };
  const listing = answering("a", unsure(""), false, { resourceRules: [rule], evaluationError: "one is missing" });
  const other: ChainedAuthorizer = {
    ...answering("b", unsure(""), false, { incomplete: true, evaluationError: "cannot list" }),
    type: "Other",
  };
  const { rules } = chainOf([listing, answering("c", unsure("")), other]);
  assert.deepEqual(await rules(alice, "ns"), {
    resourceRules: [rule],
    nonResourceRules: [],
    incomplete: true,
    evaluationError: "[one is missing, cannot list]",
  });
  assert.deepEqual((await rules(alice, "ns", "Other")).resourceRules, []);
});

test("AlwaysAllow and AlwaysDeny are upstream's: after the latter a later authorizer decides", async () => {
  const chained = (authorizer: typeof alwaysAllow): ChainedAuthorizer => ({
    type: authorizer.name,
    name: authorizer.name.toLowerCase(),
    authorizer,
  });
  const deny = chained(alwaysDeny), allow = chained(alwaysAllow);
  assert.deepEqual(await chainOf([deny]).decide(alice, attributes), unsure("Everything is forbidden."));
  assert.deepEqual(await chainOf([deny, allow]).decide(alice, attributes), yes());
  assert.deepEqual((await chainOf([allow]).rules(alice, "")).nonResourceRules, [{ verbs: ["*"], nonResourceURLs: ["*"] }]);
});
