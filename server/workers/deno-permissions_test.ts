import assert from "node:assert/strict";
import { test } from "node:test";
import { flagsFrom, withPort } from "./deno-permissions.ts";

const states = (granted: readonly string[], denied: readonly string[] = []) => (name: string) =>
  granted.includes(name) ? "granted" : denied.includes(name) ? "denied" : "prompt";
const computed = () =>
  Promise.resolve(["--no-prompt", "--allow-read=/srv", "--allow-net=127.0.0.1:1", "--allow-sys=hostname", "--ignore-env"]);
const never = () => Promise.reject(new Error("the settings are not looked at"));

test("flagsFrom() is what the settings need, for a supervisor with limited permissions", async () => {
  assert.deepEqual(await flagsFrom(states([]), computed), await computed());
  assert.deepEqual(await flagsFrom(states(["read"]), computed), [
    "--no-prompt",
    "--allow-net=127.0.0.1:1",
    "--allow-sys=hostname",
    "--ignore-env",
    "--allow-read",
  ]);
});

test("flagsFrom() passes permissions without limits on, and the right to start processes only if it has none", async () => {
  assert.deepEqual(await flagsFrom(states(["read", "write", "net"], ["env"]), never), [
    "--no-prompt",
    "--cached-only",
    "--allow-sys=hostname,networkInterfaces,ca",
    "--ignore-env",
    "--allow-read",
    "--allow-write",
    "--allow-net",
  ]);
  const all = ["read", "write", "net", "env", "sys", "ffi", "run"];
  assert.deepEqual(await flagsFrom(states(all), never), ["--no-prompt", "--cached-only", ...all.map((name) => `--allow-${name}`)]);
});

test("withPort() adds an address to limited rights only", () => {
  assert.deepEqual(withPort(["--allow-net=127.0.0.1:0", "--allow-read=/a"], "127.0.0.1", 7), [
    "--allow-net=127.0.0.1:0,127.0.0.1:7",
    "--allow-read=/a",
  ]);
  assert.deepEqual(withPort(["--allow-net=[::1]:0"], "::1", 7), ["--allow-net=[::1]:0,[::1]:7"]);
  assert.deepEqual(withPort(["--allow-net"], "127.0.0.1", 7), ["--allow-net"]);
});
