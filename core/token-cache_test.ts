import assert from "node:assert/strict";
import { test } from "node:test";
import { type TokenAuthenticator, TokenRefusal } from "./token-authenticator.ts";
import { cachedTokens, type TokenCacheMeter } from "./token-cache.ts";
import { cachedTokensMax, cachedUserLengthMax, tokenLookupsMax } from "./token-cache.ts";

const userOf = (name: string) => ({ user: { name, groups: [] as string[] }, audiences: [] as string[] });

function world(
  options: { readonly acceptedMs?: number; readonly refusedMs?: number } = {},
  answer?: TokenAuthenticator["authenticateToken"],
) {
  const calls: string[] = [], counted: string[] = [], hashed: string[] = [];
  const clock = { ms: 0 };
  let active = 0;
  const meter: TokenCacheMeter = {
    answered: (status) => counted.push(status),
    fetched: (status) => counted.push(status),
    active: (_, change) => void (active += change),
  };
  const authenticator: TokenAuthenticator = {
    name: "counted",
    authenticateToken(token, audiences) {
      calls.push(token);
      return answer?.(token, audiences) ?? Promise.resolve(userOf(token));
    },
  };
  const cached = cachedTokens(authenticator, {
    acceptedMs: 10_000,
    refusedMs: 0,
    ...options,
    hash: (texts) => {
      hashed.push(texts.join("|"));
      return `#${texts.join("|")}`;
    },
    now: () => clock.ms,
    meter,
  });
  return { cached, calls, counted, clock, hashed, active: () => active };
}

test("cachedTokens() caches an accepted token for its time and not longer", async () => {
  const { cached, calls, clock, counted, active } = world();
  await cached.authenticateToken("a", []);
  clock.ms = 9_999;
  assert.deepEqual(await cached.authenticateToken("a", []), userOf("a"));
  assert.equal(calls.length, 1);
  clock.ms = 10_000;
  await cached.authenticateToken("a", []);
  assert.equal(calls.length, 2);
  assert.deepEqual(counted, ["ok", "miss", "hit", "ok", "miss"]);
  assert.equal(active(), 0);
});

test("cachedTokens() drops a token no later than it expires", async () => {
  const { cached, calls, clock } = world({}, (token) => Promise.resolve({ ...userOf(token), expires: 4_000 }));
  await cached.authenticateToken("a", []);
  clock.ms = 3_999;
  await cached.authenticateToken("a", []);
  clock.ms = 4_000;
  await cached.authenticateToken("a", []);
  assert.equal(calls.length, 2);
});

test("cachedTokens() keeps audiences apart", async () => {
  const { cached, calls } = world();
  await cached.authenticateToken("a", ["x"]);
  await cached.authenticateToken("a", ["y"]);
  await cached.authenticateToken("a", ["x"]);
  assert.equal(calls.length, 2);
});

test("cachedTokens() caches rejections for their own time, and failures never", async () => {
  const refused = world({ refusedMs: 5_000 }, () => Promise.reject(new TokenRefusal("expired")));
  for (let i = 0; i < 3; i++) await assert.rejects(refused.cached.authenticateToken("a", []), /expired/);
  assert.equal(refused.calls.length, 1);
  refused.clock.ms = 5_000;
  await assert.rejects(refused.cached.authenticateToken("a", []), TokenRefusal);
  assert.equal(refused.calls.length, 2);

  const unknown = world({ refusedMs: 5_000 }, () => Promise.resolve(undefined));
  await unknown.cached.authenticateToken("a", []);
  assert.equal(await unknown.cached.authenticateToken("a", []), undefined);
  assert.equal(unknown.calls.length, 1);

  const off = world({}, () => Promise.resolve("refused"));
  await off.cached.authenticateToken("a", []);
  assert.equal(await off.cached.authenticateToken("a", []), "refused");
  assert.equal(off.calls.length, 2);

  const failing = world({ refusedMs: 5_000 }, () => Promise.reject(new Error("down")));
  for (let i = 0; i < 2; i++) await assert.rejects(failing.cached.authenticateToken("a", []), /down/);
  assert.equal(failing.calls.length, 2);
  assert.deepEqual(failing.counted, ["error", "miss", "error", "miss"]);
});

test("cachedTokens() shares one call among concurrent requests with the same token", async () => {
  const gate = Promise.withResolvers<void>();
  const { cached, calls } = world({}, async (token) => {
    await gate.promise;
    return userOf(token);
  });
  const all = Promise.all([cached.authenticateToken("a", []), cached.authenticateToken("a", []), cached.authenticateToken("a", [])]);
  gate.resolve();
  assert.equal((await all).length, 3);
  assert.equal(calls.length, 1);
});

test("cachedTokens() checks a bounded number of tokens at a time", async () => {
  const gate = Promise.withResolvers<void>();
  const { cached } = world({}, async (token) => {
    await gate.promise;
    return userOf(token);
  });
  const running = Array.from({ length: tokenLookupsMax }, (_, i) => cached.authenticateToken(`t${i}`, []));
  await assert.rejects(cached.authenticateToken("one more", []), /too many tokens/);
  gate.resolve();
  await Promise.all(running);
  assert.deepEqual(await cached.authenticateToken("one more", []), userOf("one more"));
});

test("cachedTokens() holds a bounded number of tokens and drops the oldest", async () => {
  const { cached, calls } = world();
  for (let i = 0; i <= cachedTokensMax; i++) await cached.authenticateToken(`t${i}`, []);
  await cached.authenticateToken("t1", []);
  assert.equal(calls.length, cachedTokensMax + 1, "the second token is still there");
  await cached.authenticateToken("t0", []);
  assert.equal(calls.length, cachedTokensMax + 2, "the first is not");
});

test("cachedTokens() does not cache users above a size", async () => {
  const { cached, calls } = world({}, (token) => Promise.resolve(userOf(token.padEnd(cachedUserLengthMax + token.length, "x"))));
  await cached.authenticateToken("", []);
  await cached.authenticateToken("", []);
  assert.equal(calls.length, 1);
  await cached.authenticateToken("y", []);
  await cached.authenticateToken("y", []);
  assert.equal(calls.length, 3);
});
