// The corpus of certificates: verification results must be those of Go, which are recorded with it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { certificatePem } from "../../protocols/x509/certificate.ts";
import { peerVerifier } from "../../server/listen/verify-peer.ts";

interface Corpus {
  /** Seconds since the epoch. */
  readonly now: number;
  /** DER in base64. */
  readonly certificates: readonly string[];
  readonly cases: readonly { readonly name: string; readonly roots: readonly number[]; readonly chain: readonly number[] }[];
}
interface Verdict {
  readonly name: string;
  readonly trusted: boolean;
  readonly because?: string;
  readonly commonName?: string;
  readonly organizations?: readonly string[];
}
const here = (file: string) => new URL(file, import.meta.url);
// `as`: our own files; a wrong shape fails the test.
const { now, certificates, cases } = JSON.parse(readFileSync(here("corpus.json"), "utf8")) as Corpus;
const { verdicts } = JSON.parse(readFileSync(here("verdicts.json"), "utf8")) as { verdicts: readonly Verdict[] };
const bytes = certificates.map((text) => new Uint8Array(Buffer.from(text, "base64")));

/** Cases that Go accepts and this server rejects, with the reason. */
const stricter: Readonly<Record<string, string>> = {
  ...("Deno" in globalThis
    ? { "signature: P-521 with SHA-256": "Deno does not check signatures by P-521 over a hash of less than 33 bytes" }
    : {}),
  "policy constraints: intermediate requires a policy that is there": "policies are not processed: a chain that requires one is refused",
};

test("every case of the corpus has a recorded verdict", () => {
  assert.deepEqual(verdicts.map(({ name }) => name), cases.map(({ name }) => name));
  assert.ok(verdicts.some(({ trusted }) => trusted) && verdicts.some(({ trusted }) => !trusted));
});

test("client certificates are accepted and rejected as in Go", () => {
  const wrong = cases.flatMap(({ name, roots, chain }, index) => {
    const go = verdicts[index]!;
    const pick = (numbers: readonly number[]) => numbers.map((number) => bytes[number]!);
    const ours = peerVerifier(pick(roots).map(certificatePem).join(""))(pick(chain), now * 1000);
    if (Object.hasOwn(stricter, name)) return go.trusted && !ours.trusted ? [] : [`${name} is not stricter`];
    if (ours.trusted !== go.trusted) return [`${name}: ${ours.trusted ? "accepted" : ours.because}; Go: ${go.because ?? "accepted"}`];
    if (!ours.trusted) return [];
    const { commonName, organizations } = ours.peer;
    return commonName === (go.commonName ?? "") && JSON.stringify(organizations) === JSON.stringify(go.organizations ?? [])
      ? []
      : [`${name}: ${JSON.stringify([commonName, organizations])}; Go: ${JSON.stringify([go.commonName, go.organizations])}`];
  });
  assert.deepEqual(wrong, []);
});

test("Go's verdicts are as recorded", (context) => {
  const found = spawnSync("go", ["version"], { encoding: "utf8", timeout: 60_000 });
  if (found.status !== 0) return context.skip("go is not installed");
  if (!/\bgo1\.26\b/.test(found.stdout)) return context.skip(`recorded with go1.26, this is ${found.stdout.trim()}`);
  const run = spawnSync("go", ["run", here("verdicts.go").pathname, "-check"], { encoding: "utf8", timeout: 300_000 });
  assert.equal(run.status, 0, run.stderr);
});
