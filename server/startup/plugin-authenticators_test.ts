import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api } from "../../core/api.ts";
import type { AuthenticatorContext, AuthenticatorDefinition } from "../../core/authentication.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import { configInForce } from "./config-in-force.ts";
import { openPluginAuthenticators } from "./plugin-authenticators.ts";

// `as`: the parts of a configuration that are read.
const configWith = (...authenticators: readonly AuthenticatorDefinition[]) =>
  ({ catalog: { names: { domain: "k8s.io" }, plugins: [{ authenticators }, {}] } }) as unknown as ActiveConfig;

function definition(name: string, runsFirst?: true) {
  const contexts: AuthenticatorContext[] = [];
  const made: AuthenticatorDefinition = {
    name,
    summary: "Has no opinion.",
    ...(runsFirst === undefined ? {} : { runsFirst }),
    open(context) {
      contexts.push(context);
      return { authenticate: () => undefined };
    },
  };
  return { made, contexts };
}

test("the authenticators of plugins follow the configuration: new ones open, removed ones end, others go on", () => {
  const own = [{ name: "x509", authenticate: () => Promise.resolve(undefined) }];
  const one = definition("one"), first = definition("first", true), two = definition("two");
  const broken: AuthenticatorDefinition = { name: "broken", summary: "Fails.", open: () => assert.fail("no file") };
  const inForce = configInForce(configWith(one.made, broken, first.made));
  const errors: (readonly [sentence: string, fields: unknown])[] = [], ending = new AbortController();
  const opened = openPluginAuthenticators({
    inForce,
    registry: { metric: () => assert.fail("no metric") } as unknown as KernelRegistry, // `as`: nothing else is read
    log: { error: (sentence, fields) => void errors.push([sentence, fields]) },
    audiences: () => [],
    signal: ending.signal,
  });
  const current = () => opened.withRequests(own);
  const names = () => current().map(({ name }) => name);
  assert.deepEqual(names(), ["x509"]);
  const api = {} as Api; // `as`: it is only handed on
  opened.open(api);
  assert.deepEqual(names(), ["first", "x509", "one"]);
  assert.equal(one.contexts[0]!.api, api);
  assert.deepEqual(errors.map(([sentence]) => sentence), ["the authenticator broken cannot start"]);
  one.contexts[0]!.logError("the secret is old");
  assert.equal(errors[1]![0], "authenticator one: the secret is old");
  const kept = current()[2];
  inForce.swap(configWith(two.made, one.made));
  assert.deepEqual(names(), ["x509", "two", "one"]);
  assert.equal(current()[2], kept);
  assert.deepEqual(opened.withTokens([]), [], "they are for requests only");
  assert.equal(one.contexts.length, 1, "it was not opened again");
  assert.equal(first.contexts[0]!.signal.aborted, true);
  assert.equal(one.contexts[0]!.signal.aborted, false);
  ending.abort();
  assert.equal(one.contexts[0]!.signal.aborted && two.contexts[0]!.signal.aborted, true);
});
