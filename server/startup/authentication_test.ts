import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../core/async.ts";
import type { Api } from "../../core/api.ts";
import type { AuthenticatorContext, AuthenticatorDefinition, OpenedAuthenticator } from "../../core/authentication.ts";
import type { TokenUser } from "../../core/access.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import { withDefaults } from "../config/parse.ts";
import { openAuthentication } from "./authentication.ts";
import { configInForce } from "./config-in-force.ts";

// `as`: the parts of a configuration that are read.
const configWith = (...authenticators: readonly AuthenticatorDefinition[]) => {
  const plugins = [{ authenticators }, {}];
  return { config: withDefaults({}), plugins, catalog: { names: { domain: "k8s.io" }, plugins } } as unknown as ActiveConfig;
};

function definition(
  name: string,
  more: Partial<AuthenticatorDefinition> = {},
  parts: OpenedAuthenticator = { authenticate: () => undefined },
) {
  const contexts: AuthenticatorContext[] = [];
  const made: AuthenticatorDefinition = {
    name,
    summary: "Has no opinion.",
    open(context) {
      contexts.push(context);
      return parts;
    },
    ...more,
  };
  return { made, contexts };
}

/** The authentication of a server with this configuration, and its log. */
async function opened(first: ActiveConfig) {
  const inForce = configInForce(first), ending = new AbortController();
  const errors: (readonly [sentence: string, fields: unknown])[] = [], lines: string[] = [], counted: string[] = [];
  const series = (name: string) => ({ with: () => ({ add: () => counted.push(name), observe() {} }) });
  const authentication = await openAuthentication({
    inForce,
    // `as`: no other metric is recorded.
    registry: {
      metric: () => assert.fail("no metric"),
      record: new Proxy({}, { get: (_, name) => series(String(name)) }),
    } as unknown as KernelRegistry,
    log: { error: (sentence: string, fields: unknown) => void errors.push([sentence, fields]), info() {} } as unknown as Log, // `as`: nothing else is logged
    findings: { info: (line) => void lines.push(line) },
    audiences: () => ["here"],
    clock: systemClock,
    signal: ending.signal,
  });
  const names = () => authentication.authenticators().map(({ name }) => name);
  return { authentication, inForce, ending, errors, lines, counted, names };
}
const api = { get: () => "an object" } as unknown as Api; // `as`: it is only handed on

test("the authenticators of plugins follow the configuration: new ones open, removed ones end, others go on", async () => {
  const own = definition("x509", { required: true, beforeTokens: true, plainReasons: true });
  const one = definition("one"), first = definition("first", { runsFirst: true }), two = definition("two");
  const broken: AuthenticatorDefinition = { name: "broken", summary: "Fails.", open: () => assert.fail("no file") };
  const { authentication, inForce, ending, errors, names } = await opened(configWith(one.made, own.made, broken, first.made));
  assert.deepEqual(names(), ["x509"]);
  assert.throws(() => own.contexts[0]!.api.get, /the server has not started/);
  authentication.open(api);
  assert.deepEqual(names(), ["first", "x509", "one"]);
  assert.equal(one.contexts[0]!.api, api);
  assert.equal(own.contexts[0]!.api.get, api.get);
  assert.deepEqual(errors.map(([sentence]) => sentence), ["the authenticator broken cannot start"]);
  one.contexts[0]!.logError("the secret is old");
  own.contexts[0]!.logError("the key is old", { kid: "k1" });
  assert.deepEqual(errors.slice(1), [["authenticator one: the secret is old", {}], ["the key is old", { kid: "k1" }]]);
  const kept = authentication.authenticators()[2];
  inForce.swap(configWith(two.made, one.made));
  assert.deepEqual(names(), ["two", "one"]);
  assert.equal(authentication.authenticators()[1], kept);
  assert.equal(one.contexts.length, 1, "it was not opened again");
  assert.deepEqual([first, own, one].map(({ contexts }) => contexts[0]!.signal.aborted), [true, true, false]);
  ending.abort();
  assert.equal(one.contexts[0]!.signal.aborted && two.contexts[0]!.signal.aborted, true);
});

test("bearer tokens stand between the authenticators of requests that run before them and the others", async () => {
  const tokens = definition("tokens", { required: true }, { authenticateToken: () => undefined });
  const late = definition("late", { required: true }), early = definition("early", { required: true, beforeTokens: true });
  assert.deepEqual((await opened(configWith(late.made, tokens.made, early.made))).names(), ["early", "bearertoken", "late"]);
  assert.deepEqual((await opened(configWith(late.made, early.made))).names(), ["early", "late"], "nobody knows a token");
});

test("an authenticator that the server requires stops the start; one that the settings do not ask for is left out", async () => {
  const broken = definition("broken", { required: true, open: () => Promise.reject(new Error("no key")) });
  await assert.rejects(opened(configWith(broken.made)), { message: "no key" });
  const unset = definition("unset", { required: true, open: () => undefined });
  assert.deepEqual((await opened(configWith(unset.made))).names(), []);
});

test("answers about tokens are kept as long as their authenticator says, and forgotten with its generation", async () => {
  let asked = 0, generation = 0;
  const parts: OpenedAuthenticator = {
    authenticateToken: () => ({ user: { name: `user-${++asked}`, groups: [] }, audiences: ["here"] }),
    caching: { acceptedMs: 60_000, refusedMs: 0, generation: () => generation },
  };
  const { authentication } = await opened(configWith(definition("reviewed", { required: true }, parts).made));
  const user = async () => {
    const outcome = await authentication.authenticateToken("t", []);
    return (outcome as { readonly accepted?: TokenUser }).accepted?.user.name;
  };
  assert.deepEqual([await user(), await user()], ["user-1", "user-1"]);
  generation++;
  assert.deepEqual([await user(), await user()], ["user-2", "user-2"]);
});

test("the issuer of tokens, the documents and the rule of anonymous requests are those of the authenticators", async () => {
  const none = await opened(configWith());
  const request = { namespace: "a", account: { name: "b", uid: "c" }, bound: undefined, audiences: [], expirationSeconds: 600 };
  await assert.rejects(none.authentication.issuer.issue(request), /no authenticator of the active plugins signs tokens/);
  assert.deepEqual(none.authentication.documents.paths(), []);
  assert.equal(none.authentication.isAnonymous({ url: "/api" } as Parameters<typeof none.authentication.isAnonymous>[0]), true);
  const document = { mediaType: "text/plain", body: "keys", cacheSeconds: 1 };
  const parts: OpenedAuthenticator = {
    issuer: { issue: () => assert.fail("not asked"), issueLegacy: (...about) => Promise.resolve(about.join()) },
    documents: { paths: () => ["/keys"], read: () => Promise.resolve(document) },
    anonymous: { enabled: true, conditions: [{ path: "/livez" }] },
  };
  const { authentication } = await opened(configWith(definition("accounts", { required: true }, parts).made));
  assert.equal(await authentication.issuer.issueLegacy("a", { name: "b", uid: "c" }, "d"), "a,[object Object],d");
  assert.deepEqual(authentication.documents.paths(), ["/keys"]);
  assert.equal(await authentication.documents.read("/keys"), document);
  // `as`: only the URL is read.
  const isAnonymous = (url: string) => authentication.isAnonymous({ url } as Parameters<typeof authentication.isAnonymous>[0]);
  assert.deepEqual([isAnonymous("/livez?verbose"), isAnonymous("/api")], [true, false]);
});

test("warnings about settings are logged at the start, and new ones after a reload", async () => {
  const warns = (...texts: readonly string[]) => definition("warns", { checks: { warnings: () => texts } }).made;
  const { inForce, lines } = await opened(configWith(warns("one")));
  inForce.swap(configWith(warns("one", "two")));
  assert.deepEqual(lines, ["Warning: one", "Warning: two"]);
});
