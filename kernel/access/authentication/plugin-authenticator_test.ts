import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpenedAuthenticator, RequestToAuthenticate, TokenToAuthenticate } from "../../../core/authentication.ts";
import type { Exchange } from "../../request/exchange.ts";
import {
  authenticateInOrder,
  authenticateTokens,
  type AuthenticationResult,
  type Authenticator,
  pluginAuthenticator,
  pluginTokens,
  Refused,
  Unauthenticated,
} from "./mod.ts";
import { authenticatorMsMax } from "./plugin-authenticator.ts";

const peer = { commonName: "carol", organizations: ["ops"], uids: [], fingerprint: "f1", expires: 0 };
const exchange: Exchange = {
  method: "GET",
  url: "/api?limit=1",
  headers: { "x-user": "carol" },
  body: () => Promise.resolve(new Uint8Array()),
  peer,
  remote: "",
  protocol: "HTTP/1.1",
  signal: new AbortController().signal,
};

/** A clock whose timers fire when the test says so. */
function fakeClock() {
  const timers = new Set<{ readonly ms: number; readonly run: () => void }>();
  return {
    timers,
    now: () => 7,
    after(ms: number, run: () => void) {
      const timer = { ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
}

function world(authenticate: NonNullable<OpenedAuthenticator["authenticate"]>) {
  const errors: unknown[] = [], clock = fakeClock();
  return {
    errors,
    clock,
    authenticator: pluginAuthenticator({ name: "own" }, authenticate, { clock, report: (error) => errors.push(error) }),
  };
}
const warn = () => {};

test("a plugin's authenticator sees method, URL, headers, certificate, time and signal", async () => {
  const seen: RequestToAuthenticate[] = [];
  const { authenticator } = world((request) => void seen.push(request));
  assert.equal(await authenticator.authenticate(exchange, warn), undefined);
  const [{ method, url, headers, certificate, now, signal } = assert.fail("not asked")] = seen;
  assert.deepEqual({ method, url, headers, certificate, now }, {
    method: "GET",
    url: "/api?limit=1",
    headers: exchange.headers,
    certificate: peer,
    now: 7,
  });
  assert.equal(signal, exchange.signal);
});

test("a plugin's authenticator answers with a user, a refusal that has its name, or nothing", async () => {
  const user = { name: "carol", uid: "1", groups: ["a"], extra: { "example.com/tenant": ["b"] } };
  for (const promised of [false, true]) {
    const ask = (answer: any) => {
      const { authenticator, clock } = world(() => promised ? Promise.resolve(answer) : answer);
      return authenticator.authenticate(exchange, warn).finally(() => assert.equal(clock.timers.size, 0, "no timer is left"));
    };
    assert.equal(await ask({ user }), user);
    assert.equal(await ask(undefined), undefined);
    const refused = await ask({ refused: "expired" });
    assert.ok(refused instanceof Refused);
    assert.equal(refused.reason, "own: expired");
  }
});

test("a plugin's authenticator that throws, answers wrongly or not in time has failed, is reported, and others decide", async () => {
  const wrong: readonly (readonly [authenticate: () => any, reason: string])[] = [
    [() => assert.fail("broken"), "broken"],
    [() => Promise.reject(new Error("no key")), "no key"],
    [() => Promise.reject("a text"), "a text"],
    [() => null, "the answer is neither a user nor a refusal"],
    [() => "carol", "the answer is neither a user nor a refusal"],
    [() => ({ refused: "" }), "the refusal has no reason"],
    [() => ({ refused: true }), "the refusal has no reason"],
    ...[
      {},
      { user: null },
      { user: { name: "", groups: [] } },
      { user: { name: "carol" } },
      { user: { name: "carol", groups: "system:masters" } },
      { user: { name: "carol", groups: [1] } },
      { user: { name: "carol", groups: [], uid: 1 } },
      { user: { name: "carol", groups: [], extra: { Tenant: [] } } },
      { user: { name: "carol", groups: [], extra: { tenant: "b" } } },
      { user: { name: "carol", groups: [], extra: null } },
    ].map((answer) => [() => answer, "the answer has no valid user"] as const),
  ];
  for (const [authenticate, reason] of wrong) {
    const { authenticator, errors } = world(authenticate);
    const results: AuthenticationResult[] = [];
    const chain = (...more: readonly Authenticator[]) =>
      authenticateInOrder(() => [authenticator, ...more], () => true, (result) => results.push(result));
    await assert.rejects(chain()(exchange), (error) => error instanceof Unauthenticated && error.refusal === `own: ${reason}`);
    assert.equal((await chain({ name: "next", authenticate: () => Promise.resolve({ name: "dora", groups: [] }) })(exchange)).name, "dora");
    assert.deepEqual(results, ["error", "success"], reason);
    assert.equal(errors.length, 2, "each failure is reported");
  }
});

test("a plugin's authenticator has ten seconds", async () => {
  const { authenticator, errors, clock } = world(() => new Promise(() => {}));
  const asked = authenticator.authenticate(exchange, warn);
  const [timer = assert.fail("no timer")] = clock.timers;
  assert.equal(timer.ms, authenticatorMsMax);
  timer.run();
  await assert.rejects(asked, { message: "own: no answer after 10 s" });
  assert.equal(errors.length, 1);
});

test("a plugin's authenticator of tokens accepts them for the requested audiences that they have, and by default for those of the server", async () => {
  const seen: TokenToAuthenticate[] = [], user = { name: "carol", groups: [] };
  const ask = async (answer: any, asked: readonly string[]) => {
    const tokens = pluginTokens({ name: "own" }, (token) => (seen.push(token), answer), {
      clock: fakeClock(),
      audiences: () => ["here", "there"],
    });
    const accepted = await tokens.authenticateToken("t", asked);
    return typeof accepted === "object" ? accepted.audiences : accepted;
  };
  assert.equal(await ask(undefined, ["here"]), undefined);
  assert.deepEqual(seen, [{ token: "t", audiences: ["here"], now: 7, warn: undefined }]);
  assert.deepEqual(await ask({ user }, ["here"]), ["here"]);
  assert.equal(await ask({ user }, ["vault"]), undefined, "the token is not for others");
  assert.deepEqual(await ask({ user, audiences: ["vault", "safe"] }, ["vault", "here"]), ["vault"]);
  assert.equal(await ask({ user, audiences: ["vault"] }, ["here"]), undefined);
  assert.equal(await ask({ user, audiences: [] }, ["here"]), undefined, "it is for nobody");
  assert.deepEqual(await ask({ user, audiences: ["vault"] }, []), [], "a server without audiences does not check them");
});

test("a plugin's authenticator of tokens that refuses, fails or takes too long leaves the token to the others", async () => {
  const user = { name: "carol", groups: [] }, clock = fakeClock();
  const never = () => new Promise<never>(() => {});
  const cases: readonly (readonly [ask: () => any, outcome: string, reason: string])[] = [
    [() => ({ refused: "expired" }), "refused", "own: expired"],
    [() => assert.fail("broken"), "failed", "own: broken"],
    [() => ({ user: { name: "" } }), "failed", "own: the answer has no valid user"],
    [() => ({ user, audiences: "here" }), "failed", "own: the audiences are no list of texts"],
    [never, "failed", "own: no answer after 10 s"],
  ];
  for (const [ask, tag, reason] of cases) {
    const own = pluginTokens({ name: "own" }, ask, { clock, audiences: () => [] }), reported: string[] = [];
    const next = { name: "next", authenticateToken: () => Promise.resolve({ user, audiences: [] }) };
    for (const authenticators of [[own], [own, next]]) {
      const authenticate = authenticateTokens({
        authenticators: () => authenticators,
        audiences: () => [],
        report: (name) => reported.push(name),
      });
      const outcome = authenticate("t", []);
      for (const { run } of clock.timers) run();
      assert.deepEqual(
        await outcome,
        authenticators.length === 1 ? { tag, reasons: [reason] } : { tag: "accepted", accepted: { user, audiences: [] } },
      );
    }
    assert.deepEqual(reported, tag === "failed" ? ["own", "own"] : []);
  }
});
