import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { addressOfAccess, filesOfAccess, kubeconfigBytesMax, readAccess } from "./kubeconfig.ts";

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-remote-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
const kubeconfig = (cluster: object, user: object) =>
  JSON.stringify({
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:6443", ...cluster } }],
    users: [{ name: "u", user }],
  });

test("readAccess() reads server, authority, certificate and token, from data or from files beside it", () =>
  inFolder(async (folder) => {
    const path = join(folder, "config");
    await Promise.all(["ca", "cert", "key", "token"].map((name) => writeFile(join(folder, name), `${name} text\n`)));
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    await writeFile(path, kubeconfig({ "certificate-authority": "ca", "tls-server-name": "api" }, { tokenFile: "token", token: "other" }));
    const { server, ...rest } = await readAccess(path);
    assert.equal(server.href, "https://127.0.0.1:6443/");
    assert.deepEqual(rest, { ca: "ca text\n", serverName: "api", authorization: "Bearer token text" });
    const user = { "client-certificate-data": base64("cert"), "client-key": "key" };
    await writeFile(path, kubeconfig({ "certificate-authority-data": base64("authority") }, user));
    assert.deepEqual({ ...await readAccess(path), server: undefined }, {
      server: undefined,
      ca: "authority",
      cert: "cert",
      key: "key text\n",
    });
    await writeFile(path, kubeconfig({ "insecure-skip-tls-verify": true }, { username: "ann", password: "p" }));
    const { insecure, authorization } = await readAccess(path);
    assert.deepEqual([insecure, authorization], [true, `Basic ${base64("ann:p")}`]);
    await writeFile(
      path,
      `current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: http://h}}]\n`,
    );
    assert.equal((await readAccess(path)).server.href, "http://h/");
  }));

test("readAccess() rejects unsupported files, with the path and without secrets", () =>
  inFolder(async (folder) => {
    const path = join(folder, "config");
    const rejection = async (text: string): Promise<string> => {
      await writeFile(path, text);
      return await readAccess(path).then(() => "", (error: Error) => error.message);
    };
    const secret = "hunter2";
    for (
      const [text, part] of [
        ["[]", "it is not a map"],
        ["a: [", "unexpected end"],
        ["{}", "current-context names no context"],
        [`{"current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "c"}}]}`, "names no cluster"],
        [kubeconfig({ server: "ftp://h" }, {}), "no valid server URL"],
        [kubeconfig({ "proxy-url": "http://p" }, {}), `"proxy-url" of a cluster is not supported`],
        [kubeconfig({}, { exec: { command: "x" } }), `"exec" of a user is not supported`],
        [kubeconfig({}, { as: "admin" }), `"as" of a user is not supported`],
        [kubeconfig({ "certificate-authority-data": "%" }, {}), "certificate-authority-data is not base64"],
        [kubeconfig({ "certificate-authority-data": "aGk=", "insecure-skip-tls-verify": true }, {}), "exclude each other"],
        [kubeconfig({}, { "client-certificate-data": "aGk=" }), "needs its key"],
        [kubeconfig({}, { token: secret, username: "ann" }), "either a token or a user name"],
        [`{"users": "${"x".repeat(kubeconfigBytesMax)}"}`, "larger than"],
      ] as const
    ) {
      const message = await rejection(text);
      assert.ok(message.includes(path) && message.includes(part), message);
      assert.ok(!message.includes(secret));
    }
    assert.match(
      await readAccess(join(folder, "gone")).then(() => "", (error: Error) => error.message),
      /cannot use the kubeconfig .*gone/,
    );
  }));

test("filesOfAccess() names every file that is read", () => {
  const text = kubeconfig({ "certificate-authority": "ca" }, { "client-certificate": "/abs/cert", "client-key": "keys/key" });
  assert.deepEqual(filesOfAccess("/etc/k/config", text), ["/etc/k/config", "/etc/k/ca", "/abs/cert", "/etc/k/keys/key"]);
});

test("addressOfAccess() is the host and the port of the server", () => {
  const address = (server: string) => addressOfAccess("/k", kubeconfig({ server }, {}));
  assert.deepEqual(
    ["https://10.0.0.1/x", "http://hook.example", "https://[::1]:8443", "nonsense", "unix:///run/hook"].map(address),
    ["10.0.0.1:443", "hook.example:80", "[::1]:8443", undefined, undefined],
  );
  assert.throws(() => addressOfAccess("/k", "[]"), /it is not a map/);
});
