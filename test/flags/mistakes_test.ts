// In Deno's suite only: what a setting changes does not depend on the runtime.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError } from "../../server/config/parse.ts";
import { readConfiguration } from "../../server/startup/read-configuration.ts";
import { plugins } from "../../plugins/mod.ts";
import { startTestServer } from "../harness.ts";

const noModule = () => Promise.reject(new Error("no such module"));

async function mistakesOf(args: readonly string[]): Promise<readonly string[]> {
  try {
    await readConfiguration(args, plugins, noModule);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError, `${error}`);
    return error.mistakes;
  }
}

test("readConfiguration() lists mistakes of every kind at once: flags, file, plugins, gates, group versions, admission, metrics, files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-mistakes-"));
  try {
    const file = (name: string) => join(folder, name);
    await writeFile(file("thole.yaml"), "secure-prot: 1\nplugins: [configmap]\nruntime-config: {v2/configmaps: true}\n");
    await writeFile(file("tls.crt"), "no certificate");
    await writeFile(file("tls.key"), "no key");
    await writeFile(file("empty.crt"), "");
    const mistakes = await mistakesOf([
      `--config=${file("thole.yaml")}`,
      "--no-such-flag=1",
      "--v=loud",
      "--goaway-chance=1",
      "--feature-gates=WatchLst=true",
      "--disable-admission-plugins=NoSuchStep",
      "--disabled-metrics=a b",
      `--tls-cert-file=${file("tls.crt")}`,
      `--tls-private-key-file=${file("tls.key")}`,
      `--client-ca-file=${file("empty.crt")}`,
      `--token-auth-file=${file("missing.csv")}`,
      `--root-ca-file=${file("missing.crt")}`,
      "--etcd-servers=http://127.0.0.1:1",
      `--etcd-cafile=${file("missing-too.crt")}`,
    ]);
    const expected = [
      /unknown flag "--no-such-flag"/,
      /flag "--v": "loud" is not a number/,
      /unknown setting "secure-prot": did you mean "secure-port"/,
      /flag "--goaway-chance"/,
      /unknown plugin "configmap": did you mean "configmaps"/,
      /NoSuchStep/,
      /unknown feature gate "WatchLst"/,
      /unknown group version "v2\/configmaps"/,
      /--disabled-metrics/,
      /cannot use the serving certificate in/,
      /cannot use the client authorities in/,
      /cannot read the token file: .*missing\.csv/,
      /cannot read the root authorities: .*missing\.crt/,
      /cannot read the authorities of etcd: .*missing-too\.crt/,
    ];
    for (const one of expected) assert.equal(mistakes.filter((each) => one.test(each)).length, 1, `${one}\n${mistakes.join("\n")}`);
    assert.equal(mistakes.length, expected.length, mistakes.join("\n"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("readConfiguration() reports a plugin module that fails without mistakes about names that it may have", async () => {
  const mistakes = await mistakesOf([
    "--plugins=./plugin.ts",
    "--runtime-config=databases.example.com/v1=true,v1/configmaps=false",
    "--feature-gates=Databases=true",
    "--enable-admission-plugins=DatabaseLimits",
    "--authorization-mode=RBAC,Databases",
    "--disabled-metrics=a b",
  ]);
  assert.deepEqual(mistakes.map((each) => each.slice(0, 30)), ["cannot load the plugin module ", "--disabled-metrics must be ful"]);
});

test("a rejected reload lists mistakes of every kind at once, and changes nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-mistakes-"));
  const file = join(folder, "thole.yaml");
  try {
    await writeFile(file, "plugins: []\n");
    const server = await startTestServer({ args: [`--config=${file}`] });
    try {
      await writeFile(
        file,
        "v: loud\nplugins: [configmap]\nfeature-gates: {WatchLst: false}\ngroup-domain: example.com\nno-such: 1\n" +
          "disable-admission-plugins: [NoSuchStep]\nmax-requests-inflight: -1\n",
      );
      await server.running.reload();
      const refused = server.logged.map((line) => JSON.parse(line)).filter(({ message }) => message.includes("is rejected"));
      assert.equal(new Set(refused.map(({ mistakes }) => JSON.stringify(mistakes))).size, 1);
      const mistakes: readonly string[] = refused[0].mistakes;
      for (
        const one of [
          /setting "v": "loud"/,
          /unknown setting "no-such"/,
          /setting "max-requests-inflight": "-1"/,
          /unknown plugin "configmap"/,
          /setting "group-domain" cannot change/,
          /NoSuchStep/,
          /unknown feature gate "WatchLst"/,
        ]
      ) assert.equal(mistakes.filter((each) => one.test(each)).length, 1, `${one}\n${mistakes.join("\n")}`);
      assert.equal(mistakes.length, 7, mistakes.join("\n"));
      assert.ok(!server.logged.some((line) => /is active|nothing has changed/.test(line)), "the previous configuration stays active");
    } finally {
      await server.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
