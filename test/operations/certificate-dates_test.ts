// Certificates with wrong dates: the log reports them at start, and the server's own are replaced.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { issue } from "../../server/listen/testing/clients.ts";
import { openPki } from "../../server/listen/pki.ts";
import { inFolder } from "../flags/served.ts";
import { startTestServer } from "../harness.ts";
import { httpsClient } from "../https.ts";

const day = 86_400_000;
const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;

test("an expired serving certificate, and expired or not yet valid CAs, are reported at start and in metrics", () =>
  inFolder(async (folder) => {
    const now = Date.now();
    const ca = issue({ usage: "ca", commonName: "given authority" });
    const gone = issue({ usage: "server", commonName: "gone", names: ["127.0.0.1"], notBefore: now - 2 * day, notAfter: now - day }, ca);
    const early = issue({ usage: "ca", commonName: "early", notBefore: now + day, notAfter: now + 2 * day });
    const path = (name: string) => join(folder, name);
    await writeFile(path("tls.crt"), gone.cert);
    await writeFile(path("tls.key"), gone.key);
    await writeFile(path("ca.crt"), early.cert);
    const args = [`--tls-cert-file=${path("tls.crt")}`, `--tls-private-key-file=${path("tls.key")}`, `--client-ca-file=${path("ca.crt")}`];
    const server = await startTestServer({ args: [`--data-dir=${path("data")}`, ...args] }).catch((error) => error);
    // The harness needs the server's own CA, which is not returned with a given certificate.
    assert.ok(!(server instanceof Error), String(server));
    try {
      const said = server.logged.map((line: string) => JSON.parse(line)).filter(({ level }: { level: string }) => level === "error");
      const messages = said.map(({ message }: { message: string }) => message).join("\n");
      assert.match(messages, new RegExp(`^the serving certificate in ".*tls\\.crt" .*CN="gone"\\) has expired: it ended at ${time}$`, "m"));
      assert.match(
        messages,
        new RegExp(`^the bundle of client authorities in ".*ca\\.crt" .*CN="early"\\) is not valid yet: it begins at ${time}`, "m"),
      );
      assert.equal(said.length, 2, messages);
    } finally {
      await server.close();
    }
  }));

test("the server's own certificates are replaced at start if they were created with a wrong clock, with both dates in the log", () =>
  inFolder(async (folder) => {
    const directory = join(folder, "data", "pki");
    await mkdir(join(folder, "data"));
    const wrong = await openPki({ directory, bindAddress: "127.0.0.1", names: defaultNames, now: Date.now() + 400 * day });
    const server = await startTestServer({ args: [`--data-dir=${join(folder, "data")}`] });
    const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
    try {
      assert.notEqual(await readFile(join(directory, "ca.crt"), "utf8"), wrong.ca.cert);
      assert.equal((await client.ask("/version")).status, 200);
      const [line] = server.logged.map((each) => JSON.parse(each)).filter(({ message }) => message.includes("was replaced"));
      assert.match(line.message, /^the server's own authority was replaced: it is not valid yet: the clock was wrong when it was made$/);
      for (const date of [line.notBefore, line.notAfter, line.replaced.notBefore, line.replaced.notAfter]) {
        assert.match(date, new RegExp(`^${time}$`));
      }
      const { text } = await client.ask("/metrics");
      assert.match(text, /^thole_certificate_not_before_timestamp_seconds\{certificate="server's own authority"\} \d/m);
      assert.match(text, /^thole_certificate_not_after_timestamp_seconds\{certificate="server's own serving certificate"\} \d/m);
    } finally {
      client.close();
      await server.close();
    }
  }));
