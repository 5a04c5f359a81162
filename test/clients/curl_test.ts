// curl over HTTP/1.1 and HTTP/2.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { run, startRealServer, startSkipped, until } from "../real-server.ts";

const curl = spawnSync("curl", ["--version"], { encoding: "utf8", timeout: 5_000 });
const curlMissing = curl.status !== 0 ? "no curl on PATH" : !curl.stdout.includes("HTTP2") && "this curl speaks no HTTP/2";
const path = "/api/v1/namespaces/default/configmaps";

for (const [flag, version] of [["--http1.1", "1.1"], ["--http2", "2"]] as const) {
  test(`curl ${flag} reads, writes, watches and gets errors`, { skip: curlMissing || startSkipped("deno") }, async () => {
    const server = await startRealServer();
    try {
      const ca = join(server.folder, "ca.pem");
      await writeFile(ca, server.ca);
      /** The body, and the status with the version of HTTP. */
      const ask = async (where: string, ...flags: string[]) => {
        const common = ["-sS", flag, "--cacert", ca, "--max-time", "60", "-w", "\n%{http_code} %{http_version}"];
        const { code, output, errors } = await run("curl", [...common, ...flags, server.url + where]);
        assert.equal(code, 0, errors);
        const cut = output.lastIndexOf("\n");
        const [status, spoken] = output.slice(cut + 1).split(" ");
        assert.equal(spoken, version);
        return { status: Number(status), text: output.slice(0, cut) };
      };
      const auth = ["-H", `Authorization: Bearer ${server.token}`];
      const json = ["-H", "Content-Type: application/json"];

      await until(async () => assert.equal((await ask("/livez")).text, "ok"));
      assert.equal((await ask(path)).status, 403);
      assert.equal((await ask(path, "-H", "Authorization: Bearer nope")).status, 401);
      const made = await ask(path, ...auth, ...json, "-d", '{"metadata":{"name":"a"},"data":{"k":"v"}}');
      assert.equal(made.status, 201);
      assert.match(made.text, /^\{\n {2}"kind": "ConfigMap",\n/, "curl gets indented JSON");
      const { resourceVersion } = JSON.parse(made.text).metadata;
      const yaml = await ask(`${path}/a`, ...auth, "-H", "Accept: application/yaml");
      assert.match(yaml.text, /^apiVersion: v1\ndata:\n {2}k: v\n/);
      const asYaml = ["-H", "Content-Type: application/yaml", "--data-binary", "metadata: {name: a}\ndata: {k: w}\n", "-X", "PUT"];
      assert.equal((await ask(`${path}/a`, ...auth, ...asYaml)).status, 200);
      const events = await ask(`${path}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`, ...auth, "-N", "-A", "script");
      assert.deepEqual(events.text.trim().split("\n").map((line) => JSON.parse(line)).map(({ type, object }) => [type, object.data.k]), [[
        "MODIFIED",
        "w",
      ]]);
      assert.equal((await ask(`${path}/a`, ...auth, "-I")).status, 405, "as kube-apiserver has it");
      assert.equal((await ask(path, ...auth, ...json, "-d", "{")).status, 400);
      assert.equal((await ask(path, ...auth, "-H", "Content-Type: text/plain", "-d", "x")).status, 415);
      const large = join(server.folder, "large.json");
      await writeFile(large, `{"metadata":{"name":"b"},"data":{"k":"${"x".repeat(4 << 20)}"}}`);
      assert.equal((await ask(path, ...auth, ...json, "--data-binary", `@${large}`)).status, 413);
      assert.equal((await ask(`${path}/a`, ...auth, "-X", "DELETE")).status, 200);
      assert.equal((await ask(`${path}/a`, ...auth)).status, 404);
      assert.equal((await ask("/metrics", ...auth)).status, 200);
    } finally {
      await server.close();
    }
  });
}
