import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, withDefaults } from "./parse.ts";
import type { PlainSettings } from "./plain-settings.ts";
import type { Config, SettingName } from "./settings.ts";

type Plain<Value> = Value extends ReadonlyMap<string, infer Each> ? Readonly<Record<string, Each>> : Value;
type OfTable = { readonly [Name in Exclude<SettingName, "config" | "plugins">]: Plain<Config[Name]> };

test("PlainSettings has the settings of the table with their types: it compiles", () => {
  const same: [OfTable, Required<PlainSettings>] extends [Required<PlainSettings>, OfTable] ? true : false = true;
  assert.ok(same);
});

test("withDefaults() accepts maps as plain objects", () => {
  const config = withDefaults({
    "feature-gates": { WatchList: false },
    "runtime-config": { "api/alpha": true },
    "etcd-servers": ["https://a"],
  });
  assert.deepEqual(config["feature-gates"], new Map([["WatchList", false]]));
  assert.deepEqual(config["runtime-config"], new Map([["api/alpha", true]]));
  assert.deepEqual(config["etcd-servers"], ["https://a"]);
  assert.equal(config["secure-port"], 6443, "others keep their defaults");
});

test("withDefaults() reports every unknown name and every value of the wrong type", () => {
  const wrong: Record<string, unknown> = {
    "feature-gates": new Map([["WatchList", false]]),
    "runtime-config": { "api/alpha": "true" },
    "secure-prot": 0,
    "anonymous-auth": "false",
    "max-requests-inflight": -1,
    "etcd-servers": "https://localhost:2379",
    "request-timeout": "30s",
  };
  assert.throws(() => withDefaults(wrong as PlainSettings), (error: unknown) => {
    assert.ok(error instanceof ConfigError);
    assert.deepEqual(error.mistakes, [
      'setting "feature-gates" must be an object of booleans, such as { Name: true }',
      'setting "runtime-config" must be an object of booleans, such as { Name: true }',
      'unknown setting "secure-prot": did you mean "secure-port"?',
      'setting "anonymous-auth" must be true or false',
      'setting "max-requests-inflight" must be a whole number from 0',
      'setting "etcd-servers" must be an array of strings',
      'setting "request-timeout" must be a number of milliseconds',
    ]);
    return true;
  });
});
