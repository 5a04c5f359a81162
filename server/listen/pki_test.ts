import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { certificateFacts, issueCertificate, pemCertificates } from "../../protocols/x509/certificate.ts";
import { kubeconfig, openPki, type PkiOptions, type Replacement, serverUrl, trustedPem, writtenPki } from "./pki.ts";
import { writePrivateFile } from "./pki-files.ts";
import { peerVerifier } from "./verify-peer.ts";
import { http1, textReply, withServer } from "./testing/clients.ts";

const day = 86_400_000;
const now = Date.UTC(2030, 0, 1);
async function withDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "thole-pki-"));
  try {
    await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
function options(directory: string | undefined, more: Partial<PkiOptions> = {}): PkiOptions {
  return { directory, bindAddress: "127.0.0.1", names: defaultNames, now, ...more };
}
const facts = (one: { cert: string }) => certificateFacts(pemCertificates(one.cert)[0] ?? new Uint8Array());

test("openPki() creates an authority, a serving and an administrator certificate, private on disk, and reads them at later starts", () =>
  withDirectory(async (root) => {
    const directory = join(root, "deep", "pki");
    const first = await openPki(options(directory));
    assert.equal(statSync(directory).mode & 0o777, 0o700);
    const files = readdirSync(directory).sort();
    assert.deepEqual(files, ["admin.crt", "admin.key", "ca.crt", "ca.key", "serving.crt", "serving.key"]);
    for (const file of files) assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600, file);
    assert.deepEqual(await openPki(options(directory, { now: now + day })), first);
    assert.deepEqual(readdirSync(join(root, "deep")), ["pki"]);
    const { commonName, organizations, extendedKeyUsages } = facts(first.admin);
    assert.deepEqual([commonName, organizations, extendedKeyUsages], ["admin", ["system:masters"], ["1.3.6.1.5.5.7.3.2"]]);
    const verdict = peerVerifier(first.ca.cert)(pemCertificates(first.admin.cert), now);
    assert.equal(verdict.trusted, true);
  }));

test("openPki() names the addresses and the service in the serving certificate, by the platform's name", async () => {
  const pki = await openPki(options(undefined, { bindAddress: "10.1.2.3", names: { domain: "d", platform: "thole" } }));
  assert.deepEqual(facts(pki.serving).names, [
    "localhost",
    "thole",
    "thole.default",
    "thole.default.svc",
    "thole.default.svc.cluster.local",
    "127.0.0.1",
    "::1",
    "10.1.2.3",
  ]);
});

test("openPki() renews leaves in memory when they are about to expire, and keeps their authority", async () => {
  const first = await openPki(options(undefined));
  assert.deepEqual(await openPki(options(undefined, { now: now + 335 * day }), first), first);
  const later = await openPki(options(undefined, { now: now + 335 * day + 1_000 }), first);
  assert.deepEqual(later.ca, first.ca);
  for (const name of ["serving", "admin"] as const) {
    assert.equal(facts(later[name]).notAfter, now + (335 + 365) * day + 1_000);
  }
});

test("openPki() replaces only a leaf that is about to expire, lacks a name or cannot be read", () =>
  withDirectory(async (root) => {
    const directory = join(root, "pki");
    const first = await openPki(options(directory));
    const kept = await openPki(options(directory, { now: now + 335 * day }));
    assert.deepEqual(kept, first);
    const later = await openPki(options(directory, { now: now + 335 * day + 1000 }));
    assert.equal(later.ca.cert, first.ca.cert);
    assert.notEqual(later.serving.cert, first.serving.cert);
    assert.notEqual(later.admin.cert, first.admin.cert);
    const moved = await openPki(options(directory, { now: now + 336 * day, bindAddress: "10.0.0.1" }));
    assert.notEqual(moved.serving.cert, later.serving.cert);
    assert.equal(moved.admin.cert, later.admin.cert);
    writeFileSync(join(directory, "admin.key"), "nonsense");
    const mended = await openPki(options(directory, { now: now + 336 * day, bindAddress: "10.0.0.1" }));
    assert.notEqual(mended.admin.cert, moved.admin.cert);
    assert.equal(mended.serving.cert, moved.serving.cert);
    assert.deepEqual(await openPki(options(directory, { now: now + 336 * day, bindAddress: "10.0.0.1" })), mended);
  }));

test("openPki() replaces an authority only when it is about to expire, and never an incomplete one", () =>
  withDirectory(async (root) => {
    const directory = join(root, "pki");
    const first = await openPki(options(directory));
    const last = await openPki(options(directory, { now: now + 3600 * day }));
    assert.equal(last.ca.cert, first.ca.cert);
    assert.ok(facts(last.serving).notAfter <= facts(last.ca).notAfter);
    const next = await openPki(options(directory, { now: now + 3621 * day }));
    assert.notEqual(next.ca.cert, first.ca.cert);
    assert.deepEqual(await openPki(options(directory, { now: now + 3621 * day })), next);
    rmSync(join(directory, "ca.key"));
    await assert.rejects(openPki(options(directory)), /do not make a pair/);
    assert.equal(readFileSync(join(directory, "ca.crt"), "utf8"), next.ca.cert);
  }));

test("openPki() called twice at once creates one authority", () =>
  withDirectory(async (root) => {
    const directory = join(root, "pki");
    const [one, two] = await Promise.all([openPki(options(directory)), openPki(options(directory))]);
    assert.equal(one.ca.cert, two.ca.cert);
    assert.deepEqual(readdirSync(root), ["pki"]);
  }));

test("the error of openPki() names a directory that it cannot write", () =>
  withDirectory(async (root) => {
    mkdirSync(join(root, "pki"));
    writeFileSync(join(root, "pki", "something-else"), "");
    await assert.rejects(openPki(options(join(root, "pki"))), /Cannot keep certificates in ".*pki"/);
    assert.deepEqual(readdirSync(root), ["pki"]);
  }));

test("openPki() without a directory writes no files and creates new certificates each time", async () => {
  const [one, two] = await Promise.all([openPki(options(undefined)), openPki(options(undefined))]);
  assert.notEqual(one.ca.cert, two.ca.cert);
});

test("writePrivateFile() keeps a file that holds the text already, and restricts the mode of a readable one", () =>
  withDirectory(async (root) => {
    const path = join(root, "kubeconfig");
    await writePrivateFile(path, "a");
    const before = statSync(path);
    await writePrivateFile(path, "a");
    assert.equal(statSync(path).ino, before.ino);
    chmodSync(path, 0o644);
    await writePrivateFile(path, "b");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(readFileSync(path, "utf8"), "b");
  }));

test("serverUrl() gives an address that a client on this machine can use", () => {
  assert.equal(serverUrl("10.0.0.1", 1), "https://10.0.0.1:1");
  assert.equal(serverUrl("0.0.0.0", 6443), "https://127.0.0.1:6443");
  assert.equal(serverUrl("::", 6443), "https://127.0.0.1:6443");
  assert.equal(serverUrl("::1", 6443), "https://[::1]:6443");
});

test("the certificates of openPki() work: a client with the administrator certificate is authenticated", async () => {
  const pki = await openPki(options(undefined, { now: Date.now() }));
  await withServer(
    ({ peer }) => Promise.resolve(textReply(`${peer?.commonName} ${peer?.organizations.join()}`)),
    async ({ listener }) => {
      const got = await http1(listener, { ca: pki.ca, identity: pki.admin });
      assert.equal(got.body.toString(), "admin system:masters");
    },
    { tls: { cert: pki.serving.cert, key: pki.serving.key, clientCa: pki.ca.cert } },
  );
});

test("kubeconfig() has the key as SEC 1, which every client reads, also if the folder has it as PKCS #8", () => {
  const admin = issueCertificate({ usage: "client", commonName: "a", notBefore: Date.now() - 1_000, notAfter: Date.now() + 60_000 });
  assert.match(admin.key, /^-----BEGIN PRIVATE KEY-----/);
  const data = /client-key-data: (.*)/.exec(kubeconfig(serverUrl("127.0.0.1", 6443), admin.cert, admin, defaultNames))?.[1] ?? "";
  const key = Buffer.from(data, "base64").toString();
  assert.match(key, /^-----BEGIN EC PRIVATE KEY-----\n/);
  const form = { type: "pkcs8", format: "pem" } as const;
  assert.equal(createPrivateKey(key).export(form), createPrivateKey(admin.key).export(form));
});

test("kubectl reads the kubeconfig()", (context) =>
  withDirectory(async (root) => {
    const pki = await openPki(options(undefined));
    const path = join(root, "kubeconfig");
    await writePrivateFile(path, kubeconfig(serverUrl("127.0.0.1", 6443), pki.ca.cert, pki.admin, defaultNames));
    const run = spawnSync("kubectl", ["--kubeconfig", path, "config", "view", "--raw", "-o", "json"], {
      encoding: "utf8",
      timeout: 120_000,
    });
    if (run.error !== undefined) return context.skip("kubectl is not installed");
    const seen = JSON.parse(run.stdout);
    assert.equal(seen["current-context"], "kubernetes");
    assert.equal(seen.clusters[0].cluster.server, "https://127.0.0.1:6443");
    assert.equal(
      Buffer.from(seen.users[0].user["client-key-data"], "base64").toString(),
      String(createPrivateKey(pki.admin.key).export({ type: "sec1", format: "pem" })),
    );
  }));

test("openPki() replaces certificates that are not valid yet, also the authority, and reports each with its reason", () =>
  withDirectory(async (root) => {
    const directory = join(root, "pki");
    const future = await openPki(options(directory, { now: now + 400 * day }));
    const reports: Replacement[] = [];
    const replaced = (each: Replacement) => void reports.push(each);
    const right = await openPki(options(directory, { replaced }));
    assert.deepEqual(reports.map(({ name, because, before, after }) => [name, because, before, after]), [
      ["ca", "it is not valid yet: the clock was wrong when it was made", future.ca.cert, right.ca.cert],
      ["serving", "another authority has signed it", future.serving.cert, right.serving.cert],
      ["admin", "another authority has signed it", future.admin.cert, right.admin.cert],
    ]);
    for (const name of ["ca", "serving", "admin"] as const) assert.ok(facts(right[name]).notBefore < now, name);
    assert.deepEqual(await openPki(options(directory, { replaced }), right), right);
    assert.deepEqual(await openPki(options(directory, { replaced })), right);
    assert.equal(reports.length, 3);
  }));

for (const days of [-400, -1 / 12, 3621, 7300]) {
  test(`openPki() of a running server keeps its authority, files and trust with a clock that is ${days} days wrong`, () =>
    withDirectory(async (root) => {
      for (const directory of [join(root, "pki"), undefined]) {
        const first = await openPki(options(directory));
        let pki = first;
        for (const wrong of [now + days * day, now + days * day + 60_000, now]) {
          pki = await openPki(options(directory, { now: wrong }), pki);
          assert.deepEqual([pki.ca, pki.former], [first.ca, []]);
          if (days < -1 || days > 3650) assert.deepEqual(pki, first, "its authority is not valid at that time");
          // Without an end there is no reason to renew a leaf once more.
          assert.deepEqual(await openPki(options(directory, { now: wrong }), pki), pki);
        }
        for (const leaf of [pki.serving, pki.admin]) assert.ok(facts(leaf).notBefore < now && facts(leaf).notAfter > now);
      }
      assert.equal(readdirSync(join(root, "pki")).length, 6);
    }));
}

test("openPki() of a running server whose authority was removed creates none", () =>
  withDirectory(async (root) => {
    const directory = join(root, "pki"), first = await openPki(options(directory));
    rmSync(directory, { recursive: true });
    await assert.rejects(openPki(options(directory), first), /the authority in ".*pki" was removed; a restart creates another one/);
    assert.deepEqual(readdirSync(root), []);
  }));

test("openPki() keeps the authority at a start with a clock that is a day behind", () =>
  withDirectory(async (root) => {
    const directory = join(root, "pki"), first = await openPki(options(directory));
    assert.deepEqual((await openPki(options(directory, { now: now - day }))).ca, first.ca);
    const back = await openPki(options(directory, { now: now - 1.5 * day }));
    assert.notDeepEqual(back.ca, first.ca);
    assert.deepEqual(back.former, [first.ca]);
  }));

test("openPki() trusts a replaced authority, which issues the serving certificate until a day before its end", () =>
  withDirectory(async (root) => {
    const directory = join(root, "pki"), at = (days: number) => openPki(options(directory, { now: now + days * day }));
    await openPki(options(directory));
    const before = await at(3610), next = await at(3621), last = await at(3648);
    assert.deepEqual([next.former, next.serving], [[before.ca], before.serving]);
    assert.equal(trustedPem(next), next.ca.cert + before.ca.cert);
    assert.deepEqual(await writtenPki(directory), next);
    assert.notDeepEqual(next.admin, before.admin);
    assert.deepEqual(last, next);
    // A name that is added meanwhile gets a certificate of the same authority.
    const named = await openPki(options(directory, { now: now + 3648 * day, bindAddress: "10.0.0.1" }));
    assert.equal(facts(named.serving).notAfter, facts(before.ca).notAfter);
    const handed = await at(3649.5);
    assert.deepEqual([handed.ca, handed.former], [next.ca, [before.ca]]);
    assert.ok(facts(handed.serving).notAfter > facts(before.ca).notAfter);
  }));

test("openPki() takes a replaced authority again if that was the valid one", () =>
  withDirectory(async (root) => {
    const directory = join(root, "pki"), first = await openPki(options(directory));
    const wrong = await openPki(options(directory, { now: now + 7300 * day }));
    assert.notDeepEqual(wrong.ca, first.ca);
    const right = await openPki(options(directory));
    assert.deepEqual([right.ca, right.former], [first.ca, [wrong.ca]]);
    assert.ok(facts(right.serving).notBefore < now);
  }));

test("openPki() replaces a leaf that is not valid yet, and keeps a valid authority", () =>
  withDirectory(async (root) => {
    const directory = join(root, "pki");
    const first = await openPki(options(directory));
    // The clock is wrong for a while: leaves are renewed in the future.
    const wrong = await openPki(options(directory, { now: now + 340 * day }));
    assert.deepEqual(wrong.ca, first.ca);
    const reports: Replacement[] = [];
    const right = await openPki(options(directory, { replaced: (each) => void reports.push(each) }));
    assert.deepEqual(right.ca, first.ca);
    assert.deepEqual(reports.map(({ name, because, before }) => [name, because.slice(0, 20), before]), [
      ["serving", "it is not valid yet:", wrong.serving.cert],
      ["admin", "it is not valid yet:", wrong.admin.cert],
    ]);
    assert.ok(facts(right.serving).notBefore < now);
  }));

test("openPki() keeps the authority if the clock is certainly wrong", () =>
  withDirectory(async (root) => {
    const directory = join(root, "pki");
    const first = await openPki(options(directory));
    const reset = await openPki(options(directory, { now: 0 }));
    assert.deepEqual(reset.ca, first.ca);
    assert.deepEqual((await openPki(options(directory))).ca, first.ca);
  }));
