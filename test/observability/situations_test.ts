// Situations that change metrics which ordinary use does not.
import assert from "node:assert/strict";
import { connect as connectTcp } from "node:net";
import { test } from "node:test";
import { connect } from "node:tls";
import { served } from "../flags/served.ts";
import { httpsClient } from "../https.ts";
import { startRealServer, startSkipped, until } from "../real-server.ts";

const linesOf = (text: string, name: string) => text.split("\n").filter((line) => line.startsWith(name));

test("apiserver_requested_deprecated_apis reports each requested deprecated version once, with the release that removes it", () =>
  served(["--runtime-config=storage.k8s.io/v1beta1=true"], async ({ client }) => {
    const name = "apiserver_requested_deprecated_apis";
    // The server itself uses Endpoints.
    const told = async () => linesOf((await client.ask("/metrics")).text, name).filter((line) => !line.includes('resource="endpoints"'));
    for (const version of ["v1", "v1beta1"]) {
      assert.deepEqual(await told(), []);
      const { headers } = await client.ask(`/apis/storage.k8s.io/${version}/volumeattributesclasses`);
      assert.equal(headers["warning"] === undefined, version === "v1");
    }
    const labels = 'group="storage.k8s.io",removed_release="1.37",resource="volumeattributesclasses",subresource="",version="v1beta1"';
    assert.deepEqual(await told(), [`${name}{${labels}} 1`]);
    await client.ask("/apis/storage.k8s.io/v1beta1/volumeattributesclasses/missing");
    assert.deepEqual(await told(), [`${name}{${labels}} 1`]);
  }));

test("apiserver_tls_handshake_errors_total counts failed TLS handshakes only", () =>
  served([], async ({ client, port }) => {
    const count = async () => Number(/^apiserver_tls_handshake_errors_total (\d+)$/m.exec((await client.ask("/metrics")).text)?.[1] ?? 0);
    assert.equal((await client.ask("/version")).status, 200);
    assert.equal(await count(), 0);
    const plain = connectTcp(port, "127.0.0.1", () => plain.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
    plain.on("error", () => {});
    await until(async () => assert.equal(await count(), 1, "a client without TLS"));
    const stranger = connect({ host: "127.0.0.1", port });
    stranger.on("error", () => {});
    await until(async () => assert.equal(await count(), 2, "a client that does not trust the server's CA"));
    plain.destroy();
    stranger.destroy();
  }));

test("nodejs_gc_duration_seconds counts garbage collection pauses by kind; on Node only, because Deno does not report them", {
  skip: startSkipped("node"),
}, async () => {
  const server = await startRealServer({ runtime: "node" });
  const client = httpsClient(server);
  try {
    await until(async () => {
      const { text } = await client.ask("/metrics");
      assert.match(text, /^nodejs_gc_duration_seconds_count\{kind="(minor|major|incremental)"\} [1-9]/m);
    });
  } finally {
    client.close();
    await server.close();
  }
});
