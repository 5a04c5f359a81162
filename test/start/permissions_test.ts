// The server with the permissions of `npm start`: all features work, and no other access is permitted.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { issueCertificate, type KeyedCertificate } from "../../protocols/x509/certificate.ts";
import { httpsClient } from "../https.ts";
import { type RealServer, startProgram, startRealServer, startSkipped, until } from "../real-server.ts";
import { inlineBodyBytesMax } from "../../kernel/request-context.ts";

const day = 86_400_000;
const dates = { notBefore: Date.now() - day, notAfter: Date.now() + day };

describe("permissions of npm start", { skip: startSkipped("deno") }, () => {
  let folder = "";
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "thole-start-")));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const status = async ({ port, ca, token }: RealServer, path: string, trusted = ca) => {
    const client = httpsClient({ port, ca: trusted });
    try {
      return (await client.ask(path, { headers: { authorization: `Bearer ${token}` } })).status;
    } finally {
      client.close();
    }
  };

  it("suffice for large requests, which run in a separate thread, with a plugin that is named by path", async () => {
    const plugin = join(import.meta.dirname!, "../migration/rods-v1.ts");
    const server = await startRealServer({
      folder: await mkdtemp(join(folder, "large-")),
      args: [`--plugins=cluster,configmaps,${plugin}`],
    });
    const client = httpsClient(server);
    try {
      const body = { metadata: { name: "large" }, data: { text: "x".repeat(inlineBodyBytesMax) } };
      const path = "/api/v1/namespaces/default/configmaps";
      const made = await client.ask(path, { method: "POST", body });
      assert.equal(made.status, 201, made.text.slice(0, 500));
      assert.deepEqual((await client.ask(`${path}/large`)).json().data, body.data);
    } finally {
      client.close();
      await server.close();
    }
  });

  it("suffice for the files of settings, also when they are replaced as in a mounted volume", async () => {
    const ca = issueCertificate({ usage: "ca", commonName: "start test", ...dates });
    const serving = () => issueCertificate({ usage: "server", commonName: "server", names: ["127.0.0.1", "localhost"], ...dates }, ca);
    const secret = join(folder, "secret");
    const lay = async (version: string, { cert, key }: KeyedCertificate) => {
      await mkdir(join(secret, version), { recursive: true });
      await writeFile(join(secret, version, "tls.crt"), cert);
      await writeFile(join(secret, version, "tls.key"), key);
      await symlink(version, join(secret, "..new"));
      await rename(join(secret, "..new"), join(secret, "..data"));
    };
    const first = serving(), second = serving();
    await lay("..1", first);
    for (const name of ["tls.crt", "tls.key"]) await symlink(`..data/${name}`, join(secret, name));
    const bundle = join(folder, "ca.crt");
    await writeFile(bundle, ca.cert);
    await writeFile(join(folder, "thole.yaml"), `client-ca-file: ${bundle}\ncert-dir: ${join(folder, "certs")}\n`);
    await writeFile(join(folder, "labels.yaml"), "{}\n");
    const server = await startRealServer({
      args: [
        `--config=${join(folder, "thole.yaml")}`,
        `--tls-cert-file=${join(secret, "tls.crt")}`,
        `--tls-private-key-file=${join(secret, "tls.key")}`,
        `--root-ca-file=${bundle}`,
        `--requestheader-client-ca-file=${bundle}`,
        `--allow-metric-labels-manifest=${join(folder, "labels.yaml")}`,
      ],
    });
    try {
      assert.equal(await status(server, "/api/v1/namespaces", ca.cert), 200);
      assert.match(await readFile(join(folder, "certs/ca.crt"), "utf8"), /BEGIN CERTIFICATE/);
      await lay("..2", second);
      server.signal("SIGHUP");
      await until(() => assert.match(server.errors(), /serving certificate/, server.errors()));
      assert.doesNotMatch(server.errors(), /NotCapable|access to/);
    } finally {
      await server.close();
    }
  });

  const api = new URL("../../plugin.ts", import.meta.url).href;
  const plugin = (body: string) => `
import { definePlugin } from ${JSON.stringify(api)};
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
const tried = await (async () => { ${body} })().then(() => "done", (error) => "refused: " + error.message);
console.log(tried);
export const mine = definePlugin({ name: "mine", summary: "tries what it may not do", kinds: [] });
`;
  const outside = [
    ["reads another file", `await readFile("/etc/passwd", "utf8")`],
    ["reads files beside the data folder", `await readFile(FOLDER + "/beside", "utf8")`],
    ["writes beside the data folder", `await writeFile(FOLDER + "/new", "")`],
    ["writes into the sources", `await writeFile(SOURCES + "/new", "")`],
    ["connects to another address", `await new Promise((ok, no) => connect(9, "127.0.0.1").on("connect", ok).on("error", no))`],
    ["reads the environment", `if (process.env["HOME"] === undefined) throw new Error("no environment")`],
  ] as const;
  for (const [what, body] of outside) {
    it(`deny a plugin that ${what}`, async () => {
      const own = join(folder, "plugin");
      await mkdir(own, { recursive: true });
      await writeFile(join(own, "package.json"), '{"type":"module"}');
      await writeFile(join(folder, "beside"), "");
      const names = { FOLDER: JSON.stringify(folder), SOURCES: JSON.stringify(new URL("../..", import.meta.url).pathname) };
      const text = plugin(body.replaceAll(/FOLDER|SOURCES/g, (name) => names[name as keyof typeof names]));
      await writeFile(join(own, "mine.ts"), text);
      const program = await startProgram([
        `--plugins=cluster,${join(own, "mine.ts")}`,
        `--data-dir=${join(folder, "data")}`,
        "--secure-port=0",
      ]);
      try {
        await until(() => assert.match(program.output(), /^(done|refused: .*)$/m, program.errors()));
        assert.match(program.output(), /^refused: .*(Requires .* access|access to|no environment)/m);
      } finally {
        program.signal("SIGKILL");
        await program.exited;
      }
    });
  }
});
