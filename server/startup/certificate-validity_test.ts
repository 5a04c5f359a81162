import assert from "node:assert/strict";
import { test } from "node:test";
import { defaults } from "../config/settings.ts";
import { issue } from "../listen/testing/clients.ts";
import { jsonLog, silentLog } from "../../kernel/observe/log.ts";
import { openMetrics } from "./open-metrics.ts";
import { type InUse, validityWatch } from "./certificate-validity.ts";

const day = 86_400_000;
const now = Date.UTC(2030, 0, 1);
const cert = (beginsIn: number, endsIn: number, commonName = "it") =>
  issue({ usage: "server", commonName, notBefore: now + beginsIn, notAfter: now + endsIn }).cert;
const of = (pem: string, anyWillDo = false): InUse => ({ what: "serving certificate", path: "/etc/tls.crt", pem, anyWillDo });

function watching() {
  const lines: { readonly level: string; readonly message: string; readonly todo: string }[] = [];
  const registry = openMetrics(defaults, silentLog);
  const { look } = validityWatch(jsonLog((line) => lines.push(JSON.parse(line)), () => now), registry.record);
  return { lines, registry, look, said: () => lines.splice(0).map(({ level, message }) => `${level}: ${message}`) };
}

test("validityWatch() logs nothing for certificates with a long remaining validity", () => {
  const { look, said } = watching();
  look([of(cert(-day, 40 * day))], now);
  assert.deepEqual(said(), []);
});

test("validityWatch() logs expired, soon expiring and not yet valid certificates once, and again after a day", () => {
  const { look, said, lines } = watching();
  const name = 'the serving certificate in "/etc/tls.crt" (certificate 1, CN="it")';
  const expired = [of(cert(-2 * day, -day))];
  look(expired, now);
  assert.match(lines[0]!.todo, /docs\/operators-guide\.md#certificates-that-are-not-valid/);
  assert.deepEqual(said(), [`error: ${name} has expired: it ended at 2029-12-31T00:00:00.000Z`]);
  look(expired, now + day - 1);
  assert.deepEqual(said(), []);
  look(expired, now + day);
  assert.equal(said().length, 1);
  look([of(cert(day, 90 * day))], now);
  assert.deepEqual(said(), [`error: ${name} is not valid yet: it begins at 2030-01-02T00:00:00.000Z; is the clock right?`]);
  const soon = [of(cert(-day, 31 * day))];
  look(soon, now);
  assert.deepEqual(said(), []);
  look(soon, now + 2 * day);
  assert.deepEqual(said(), [`info: Warning: ${name} ends soon: at 2030-02-01T00:00:00.000Z`]);
  look(soon, now + 31 * day + 1);
  assert.match(said().join(), /has expired/);
});

test("validityWatch() names each certificate of a bundle; its metric is the last expiry, that of a chain the first", async () => {
  const { look, said, registry } = watching();
  const pem = cert(-2 * day, -day, "old") + cert(-day, 100 * day, "new");
  look([of(pem, true)], now);
  assert.match(said().join(), /^error: the serving certificate .*certificate 1, CN="old"\) has expired[^,]*$/);
  const ends = async () => Number(/^thole_certificate_not_after_timestamp_seconds\{.*\} (\S+)$/m.exec(await registry.text())?.[1]);
  assert.equal(await ends(), (now + 100 * day) / 1000);
  look([of(pem, false)], now);
  assert.equal(await ends(), (now - day) / 1000);
});

test("validityWatch() warns of certificates that cannot be parsed, and checks the others", async () => {
  const { look, said, registry } = watching();
  const broken = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
  look([of("no PEM at all", true), of(broken + cert(-day, 100 * day), true)], now);
  assert.match(
    said().join("\n"),
    /^info: Warning: the dates of .* cannot be read: .*\ninfo: Warning: the dates of .*\(certificate 1\) cannot.*$/,
  );
  const text = await registry.text();
  assert.equal(Number(/^thole_certificate_not_after_timestamp_seconds\{.*\} (\S+)$/m.exec(text)?.[1]), (now + 100 * day) / 1000);
});
