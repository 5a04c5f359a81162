// Certificates are replaced under a running listener: tested by real handshakes, over connections that stay open.
// In a process of its own: Deno resumes TLS sessions of other tests, and shows the certificate that they had.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import type { KeyedCertificate } from "../../protocols/x509/certificate.ts";
import { checkKeyPair } from "./tls-context.ts";
import {
  http1,
  http2,
  http2Ask,
  http2Session,
  issue,
  lettersOf,
  protocols,
  shownCertificate,
  signalled,
  textReply,
  withServer,
} from "./testing/clients.ts";

const whoAsks = (exchange: Exchange): Promise<Reply> =>
  Promise.resolve(textReply(`${exchange.peer?.commonName ?? "anonymous"} ${exchange.peerRefused ?? ""}`.trim()));
const servingOf = (ca: KeyedCertificate) => issue({ usage: "server", names: ["localhost", "127.0.0.1"] }, ca);

test("clients get the certificate of the name that they ask for, and secure() replaces it", async () => {
  const named = (...names: readonly string[]) => ({ ...issue({ usage: "server", names: ["localhost"] }), names });
  const exact = named("api.example.com"),
    wildcard = named("*.example.com"),
    next = named("api.example.com"),
    ca = issue({ usage: "ca", commonName: "a" });
  const serving = servingOf(ca), tls = { ...serving, clientCa: ca.cert };
  await withServer(whoAsks, async ({ listener }) => {
    for (
      const [name, shown] of [
        [undefined, serving],
        ["other.org", serving],
        ["example.com", serving],
        ["API.example.com", exact],
        ["b.example.com", wildcard],
        ["a.b.example.com", serving],
      ] as const
    ) assert.equal(await shownCertificate(listener, name), lettersOf(shown), name ?? "none");
    listener.secure({ ...tls, named: [next] });
    assert.equal(await shownCertificate(listener, "api.example.com"), lettersOf(next));
    assert.equal(await shownCertificate(listener, "b.example.com"), lettersOf(serving));
    assert.throws(() => listener.secure({ ...tls, named: [{ ...next, key: exact.key }] }), /the key is not that of the certificate/);
  }, { tls: { ...tls, named: [wildcard, exact] } });
});

for (const [protocol, ask] of protocols) {
  test(`Listener.secure() over ${protocol}: requests in progress finish, and new connections get the new certificate`, async () => {
    const begun = signalled(), go = signalled();
    const other = issue({ usage: "ca", commonName: "other authority" });
    await withServer(async () => {
      begun.done();
      await go.promise;
      return textReply("after all");
    }, async ({ listener, ca }) => {
      const under = ask(listener, { ca });
      await begun.promise;
      const next = servingOf(other);
      listener.secure({ ...next, clientCa: ca.cert });
      assert.equal(await shownCertificate(listener), lettersOf(next));
      go.done();
      assert.equal((await under).body.toString(), "after all");
      assert.equal((await ask(listener, { ca: other })).status, 200);
      await assert.rejects(ask(listener, { ca }), "a client that trusts the old authority only cannot connect");
    });
  });

  test(`Listener.secure() over ${protocol} asks clients for certificates of the new authorities`, () =>
    withServer(whoAsks, async ({ listener, ca }) => {
      const theirs = issue({ usage: "ca", commonName: "their authority" });
      const carol = issue({ usage: "client", commonName: "carol" }, theirs), dave = issue({ usage: "client", commonName: "dave" }, ca);
      const name = async (identity: KeyedCertificate) => (await ask(listener, { ca, identity })).body.toString();
      assert.match(await name(carol), /^anonymous certificate is .*unknown authority$/);
      assert.equal(await name(dave), "dave");
      listener.secure({ ...servingOf(ca), clientCa: theirs.cert });
      assert.equal(await name(carol), "carol");
      assert.match(await name(dave), /^anonymous certificate is .*unknown authority$/);
    }));
}

test("Listener.secure() verifies the client certificate of an open connection again, and does not end it", () =>
  withServer(whoAsks, async ({ listener, ca }) => {
    const dave = issue({ usage: "client", commonName: "dave" }, ca);
    const session = await http2Session(listener, { ca, identity: dave });
    const name = async () => (await http2Ask(session, {})).body.toString();
    try {
      assert.equal(await name(), "dave");
      listener.secure({ ...servingOf(ca), clientCa: issue({ usage: "ca", commonName: "another" }).cert });
      assert.match(await name(), /^anonymous certificate is .*unknown authority$/);
      listener.secure({ ...servingOf(ca), clientCa: ca.cert });
      assert.equal(await name(), "dave");
    } finally {
      session.close();
    }
  }));

test("Listener.secure() throws for invalid certificates, and keeps the present ones", () =>
  withServer(whoAsks, async ({ listener, ca }) => {
    const dave = issue({ usage: "client", commonName: "dave" }, ca);
    const before = await shownCertificate(listener);
    const good = servingOf(ca), other = servingOf(ca);
    const broken = good.cert.replace(/\n[A-Za-z0-9+/]{8}/, "\nAAAAAAAA");
    for (
      const [tls, reason] of [
        [{ cert: good.cert, key: other.key }, /^Error: the key is not that of the certificate$/],
        [{ cert: "", key: good.key }, /no PEM certificate found/],
        [{ cert: broken, key: good.key }, /certificate 1 of the chain cannot be read/],
        [{ cert: `${good.cert}${broken}`, key: good.key }, /certificate 2 of the chain cannot be read/],
        [{ cert: good.cert, key: "no key" }, /the key cannot be read/],
        [{ ...good, clientCa: "anonymous" }, /no PEM certificate found/],
        [{ ...good, clientCa: broken }, /./],
      ] as const
    ) {
      assert.throws(() => listener.secure({ clientCa: ca.cert, ...tls }), reason);
      assert.equal(await shownCertificate(listener), before);
      assert.equal((await http1(listener, { ca, identity: dave })).body.toString(), "dave");
    }
    listener.secure({ ...good, clientCa: ca.cert });
    assert.equal(await shownCertificate(listener), lettersOf(good));
    assert.equal((await http2(listener, { ca, identity: dave })).body.toString(), "dave");
  }));

test("the error of checkKeyPair() has no content of an unreadable key", () => {
  const { cert, key } = issue({ usage: "server" });
  const secret = key.split("\n")[1]!;
  const cut = key.replace("PRIVATE", "PRIVATES");
  assert.throws(() => checkKeyPair(cert, cut), (error: Error) => !`${error.stack} ${error.cause}`.includes(secret.slice(0, 12)));
});

test("Listener.secure() identifies front proxies by their own authority, not by that of clients", () =>
  withServer(
    ({ frontProxy, peer, peerRefused }) =>
      Promise.resolve(textReply(`${frontProxy?.commonName} ${peer?.commonName} ${peerRefused !== undefined}`)),
    async ({ listener, ca }) => {
      const [first, second] = [issue({ usage: "ca", commonName: "first" }), issue({ usage: "ca", commonName: "second" })];
      const by = (authority: KeyedCertificate) => issue({ usage: "client", commonName: "proxy" }, authority);
      const seen = async (identity?: KeyedCertificate) =>
        (await http1(listener, { ca, ...(identity === undefined ? {} : { identity }) })).body.toString();
      assert.equal(await seen(by(first)), "undefined undefined true");
      const tls = { ...servingOf(ca), clientCa: ca.cert };
      listener.secure({ ...tls, frontProxyCa: first.cert });
      assert.equal(await seen(by(first)), "proxy undefined true");
      assert.equal(await seen(by(ca)), "undefined proxy false", "a client of the server's own authority is no proxy");
      assert.equal(await seen(), "undefined undefined false");
      listener.secure({ ...tls, frontProxyCa: second.cert });
      assert.deepEqual([await seen(by(first)), await seen(by(second))], ["undefined undefined true", "proxy undefined true"]);
      assert.throws(() => listener.secure({ ...tls, frontProxyCa: "anonymous" }), /no PEM certificate/);
      assert.equal(await seen(by(second)), "proxy undefined true");
    },
  ));
