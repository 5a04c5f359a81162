import assert from "node:assert/strict";
import { test } from "node:test";
import { type Config, defaults, settings } from "./settings.ts";
import { durationText, helpText } from "./help.ts";
import { ConfigError, parseArguments } from "./parse.ts";

function noFile(path: string): string {
  throw new Error(`no such file: ${path}`);
}
function config(args: readonly string[], file?: string): Config {
  const parsed = parseArguments(args, file === undefined ? noFile : () => file);
  assert.ok(!parsed.help);
  return parsed.config;
}
function mistakes(args: readonly string[], file?: string): readonly string[] {
  try {
    config(args, file);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

test("parseArguments() of nothing gives every default", () => {
  assert.deepEqual(config([]), defaults);
});

test("parseArguments() accepts values after an equals sign or a blank, and a boolean flag without a value", () => {
  const parsed = config(["--secure-port=7443", "--bind-address", "::1", "--anonymous-auth=false", "--request-timeout=1m30s"]);
  assert.deepEqual([parsed["secure-port"], parsed["bind-address"], parsed["anonymous-auth"], parsed["request-timeout"]], [
    7443,
    "::1",
    false,
    90_000,
  ]);
  assert.equal(config(["--anonymous-auth"])["anonymous-auth"], true);
});

test("parseArguments() accumulates lists and maps, and uses the last value of other flags", () => {
  const parsed = config([
    "--etcd-servers=http://a:1,http://b:2",
    "--etcd-servers=http://c:3",
    "--secure-port=1",
    "--secure-port=2",
    "--feature-gates=A=true,B=false",
  ]);
  assert.deepEqual(parsed["etcd-servers"], ["http://a:1", "http://b:2", "http://c:3"]);
  assert.equal(parsed["secure-port"], 2);
  assert.deepEqual([...parsed["feature-gates"]], [["A", true], ["B", false]]);
  assert.deepEqual([...config(["--runtime-config=api/beta,storage.k8s.io/v1=false"])["runtime-config"]], [["api/beta", true], [
    "storage.k8s.io/v1",
    false,
  ]]);
});

test("parseArguments() reads a file, and flags override it", () => {
  const file = "secure-port: 7000\nanonymous-auth: false\nfeature-gates: {A: true}\nplugins: [a, b]\nrequest-timeout: 5s\n";
  const parsed = config(["--config=x.yaml", "--secure-port=8000"], file);
  assert.deepEqual([parsed["secure-port"], parsed["anonymous-auth"], parsed["plugins"], parsed["request-timeout"]], [8000, false, [
    "a",
    "b",
  ], 5000]);
  assert.deepEqual([...parsed["feature-gates"]], [["A", true]]);
});

test("parseArguments() reports all mistakes at once and suggests the nearest flag", () => {
  assert.deepEqual(mistakes(["--secure-prt=1", "--secure-port=x", "stray", "--request-timeout=soon", "--bind-address"]), [
    'unknown flag "--secure-prt": did you mean "--secure-port"?',
    'flag "--secure-port": "x" is not a number',
    'unexpected argument "stray": the form of a setting is --name=value',
    'flag "--request-timeout": "soon" is not a duration such as "30s" or "1m30s"',
    'flag "--bind-address" needs a value',
  ]);
  assert.deepEqual(mistakes(["--config=x"], "sekure-port: 1\nsecure-port: 1\nsecure-port: 2\n"), [
    'configuration file "x": line 3: key "secure-port" already set in map',
    'configuration file "x": unknown setting "sekure-port": did you mean "secure-port"?',
  ]);
  assert.deepEqual(mistakes(["--config=x"]), ['cannot read the configuration file "x": no such file: x']);
  assert.deepEqual(mistakes(["--__proto__=1"]), ['unknown flag "--__proto__"']);
});

test("parseArguments() rejects contradicting settings, at the bound and past it", () => {
  assert.deepEqual(mistakes(["--tls-cert-file=a"]), [
    'flags "--tls-cert-file" and "--tls-private-key-file" must be set together',
  ]);
  assert.deepEqual(mistakes(["--secure-port=65535"]), []);
  assert.deepEqual(mistakes(["--secure-port=65536"]), ['flag "--secure-port": 65536 is not a port: it must be at most 65535']);
  assert.equal(mistakes(["--group-domain=UPPER"]).length, 1);
  assert.deepEqual(mistakes(["--etcd-servers=http://a:1,https://[::1]:2379/"]), []);
  assert.deepEqual(mistakes(["--etcd-servers=127.0.0.1:2379"]), [
    'flag "--etcd-servers": "127.0.0.1:2379" is not an address such as "https://10.0.0.1:2379"',
  ]);
  assert.deepEqual(mistakes(["--etcd-servers=https://user:secret@a/b"]), [
    'flag "--etcd-servers": "https://a/b" is not an address such as "https://10.0.0.1:2379"',
  ]);
  for (const wrong of ["http://", "unix:///etcd.sock", "https://a/b", "http://a:99999999"]) {
    assert.equal(mistakes([`--etcd-servers=${wrong}`]).length, 1, wrong);
  }
});

test("helpText() lists every setting with its default", () => {
  const help = helpText([{ name: "WatchList", stage: "Beta", default: true }], [{ name: "acme", summary: "Rods." }]);
  for (const name of Object.keys(settings)) assert.match(help, new RegExp(`--${name}[=\\[]`));
  assert.match(help, /WatchList=true\|false \(Beta, default true\)/);
  assert.match(help, /^ {2}acme\n {6}Rods\.$/m);
  assert.deepEqual(parseArguments(["--help"], noFile), { help: true });
});

test("durationText() is the inverse of parseArguments()", () => {
  for (const milliseconds of [0, 250, 1000, 90_000, 3_600_000]) {
    assert.equal(config([`--request-timeout=${durationText(milliseconds)}`])["request-timeout"], milliseconds);
  }
});
