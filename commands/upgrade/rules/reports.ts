/** Events, endpoint slices, access reviews and certificate signing requests to their `v1`. */
import type { Fields } from "../fields.ts";
import { isCertificateChain } from "./certificate-chain.ts";
import type { Rule } from "./rule.ts";
import { valueText } from "../../../core/value-text.ts";

const hostname = "kubernetes.io/hostname";
const zone = "topology.kubernetes.io/zone";

export const endpointSlice: Rule = (object) => {
  for (const endpoint of object.items("endpoints")) {
    const topology = endpoint.fields("topology");
    if (topology === undefined) {
      endpoint.removeNulls("topology");
      continue;
    }
    const nodeName = topology.text(hostname);
    if (nodeName !== undefined && (!endpoint.has("nodeName") || endpoint.text("nodeName") === nodeName)) {
      const taken = topology.take(hostname);
      if (!endpoint.has("nodeName")) {
        endpoint.put(taken, "nodeName", { before: "topology" });
        endpoint.note("nodeName", `taken from ${hostname}: check that it is the name of the node`);
      }
    }
    const zoneTaken = topology.take(zone);
    if (!endpoint.has("zone")) endpoint.put(zoneTaken, "zone", { before: "topology" });
    if (topology.names().length === 0) endpoint.remove("topology");
    else {
      endpoint.note("topology", "what is left is deprecatedTopology, which servers ignore when it is written");
      endpoint.rename("topology", "deprecatedTopology");
    }
  }
};

/** Fields that events may no longer be created with, and what replaces them. */
export const event: Rule = (object) => {
  const source = object.fields("deprecatedSource");
  moveField(object, "reportingController", source, "component");
  moveField(object, "reportingInstance", source, "host");
  object.remove("deprecatedSource");
  moveField(object, "eventTime", object, "deprecatedFirstTimestamp");
  writeMicroseconds(object, "eventTime");
  const series = object.fields("series"), count = object.scalar("deprecatedCount");
  const isSeries = series !== undefined || (count?.type === "int" && count.value > 1n);
  if (isSeries) {
    const into = object.fieldsOrNew("series");
    moveField(into, "count", object, "deprecatedCount");
    moveField(into, "lastObservedTime", object, "deprecatedLastTimestamp");
    writeMicroseconds(into, "lastObservedTime");
    for (const name of ["count", "lastObservedTime"]) if (!into.has(name)) into.choice(name, "required in a series of events");
    into.remove("state");
  }
  for (const name of ["deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount"]) object.remove(name);
  for (const name of ["eventTime", "reportingController", "reportingInstance", "action", "reason"]) {
    if (!object.has(name)) object.choice(name, "required in new events");
  }
  const type = object.text("type");
  if (type !== "Normal" && type !== "Warning") {
    object.choice("type", `${type === undefined ? "required" : `${valueText(type)} is not allowed`} in new events: Normal or Warning`);
  }
};

/** Writes a time with six digits after the second, which the new fields need. */
function writeMicroseconds(fields: Fields, name: string): void {
  const [, seconds, zone] = /^([0-9-]+T[0-9:]+)(Z|[+-][0-9:]+)$/.exec(fields.text(name) ?? "") ?? [];
  if (seconds !== undefined) fields.set(name, `${seconds}.000000${zone}`);
}

/** Moves a field to its new name, unless that has a value. */
function moveField(into: Fields, name: string, from: Fields | undefined, old: string): void {
  const taken = from?.has(old) === true ? from.take(old) : undefined;
  if (!into.has(name)) into.put(taken, name);
}

export const accessReview: Rule = (object) => object.fields("spec")?.rename("group", "groups");

const legacySigner = "kubernetes.io/legacy-unknown";
const usages: ReadonlySet<string> = new Set([
  "signing",
  "digital signature",
  "content commitment",
  "key encipherment",
  "key agreement",
  "data encipherment",
  "cert sign",
  "crl sign",
  "encipher only",
  "decipher only",
  "any",
  "server auth",
  "client auth",
  "code signing",
  "email protection",
  "s/mime",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "timestamping",
  "ocsp signing",
  "microsoft sgc",
  "netscape sgc",
]);
const defaultUsages = Object.freeze(["digital signature", "key encipherment"]);

export const signingRequest: Rule = (object, { from }) => {
  const spec = object.fields("spec");
  if (spec === undefined) return;
  const signer = spec.text("signerName");
  if (signer === undefined || signer === legacySigner) {
    spec.choice(
      "signerName",
      `${signer === undefined ? "required" : `${legacySigner} is not allowed`}: the signer that shall issue the certificate`,
    );
  }
  if (!spec.has("usages")) {
    spec.set("usages", [...defaultUsages]);
    spec.note("usages", `${valueText(defaultUsages)} written, the default of ${from}`);
  }
  const seen = new Set<string>();
  for (const usage of spec.texts("usages")) {
    if (!usages.has(usage)) spec.choice("usages", `${valueText(usage)} is not a known usage`);
    if (seen.has(usage)) spec.choice("usages", `${valueText(usage)} is listed twice`);
    seen.add(usage);
  }
  const status = object.fields("status"), certificate = status?.text("certificate");
  if (certificate !== undefined && certificate !== "" && !isCertificateChain(certificate)) {
    status!.choice(
      "certificate",
      "not allowed: it must be PEM, in base64, with CERTIFICATE blocks and nothing else; remove it, or leave the request as it is",
    );
  }
  const types = new Set<string>();
  for (const condition of status?.items("conditions") ?? []) {
    if (!condition.has("status")) {
      condition.set("status", "True");
      condition.note("status", `"True" written, the default of ${from}`);
    }
    const type = condition.text("type") ?? "";
    if (types.has(type)) condition.choice("type", `${valueText(type)} is listed twice`);
    types.add(type);
  }
};
