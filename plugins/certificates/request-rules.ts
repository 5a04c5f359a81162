/** The rules of certificate requests, with upstream's texts and order. */
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from "../../plugin.ts";
import { type Base64, bytesOf, type Names, sameValue, spell, valueText } from "../../toolbox.ts";
import { type CertificateRequest, parseCertificateRequest, signatureProblem } from "../../protocols/x509/certificate-request.ts";
import { DerReader } from "../../protocols/x509/der-reader.ts";
import { parseCertificate } from "../../protocols/x509/parse-certificate.ts";
import { nextPemBlock, pemBlocks } from "../../protocols/x509/pem.ts";
import { validateSignerName } from "../shared/signers.ts";
import { type CertificateSigningRequest, type RequestCondition, usages } from "./schema.ts";

/** Conditions that decide about a request. They are never removed, and never anything but True. */
export const decisions = ["Approved", "Denied", "Failed"] as const;
const approvals = ["Approved", "Denied"] as const;
const statuses = ["False", "True", "Unknown"];
/** Seconds for which a certificate may be requested at least. */
const expirationSecondsMin = 600;

/** Text of which each character is a byte. */
export function binaryText(base64: Base64): string {
  let text = "";
  const bytes = bytesOf(base64);
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return text;
}

/** The request in a PEM text. Throws an error with the reason if there is none. */
export function requestIn(pem: Base64): CertificateRequest {
  const block = nextPemBlock(binaryText(pem));
  if (block?.type !== "CERTIFICATE REQUEST") throw new Error("PEM block type must be CERTIFICATE REQUEST");
  return parseCertificateRequest(block.bytes);
}

function requestProblem(pem: Base64): string | undefined {
  try {
    return signatureProblem(requestIn(pem));
  } catch (error) {
    return (error as Error).message; // the parsers throw errors only
  }
}

/** Why the text of a status is not PEM of certificates; undefined if it is, or if it is empty. */
export function chainProblem(certificate: Base64 | undefined): string | undefined {
  if ((certificate ?? "") === "") return undefined;
  const blocks = pemBlocks(binaryText(certificate!)); // it is not empty
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${valueText(type)}`;
    if (hasHeaders) return "no PEM block headers are permitted";
    if (bytes.length === 0) return "found CERTIFICATE PEM block containing 0 certificates";
    try {
      for (const certificates = new DerReader(bytes); !certificates.empty;) parseCertificate(certificates.any().whole);
    } catch {
      return "x509: malformed certificate";
    }
  }
  return blocks.length === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}

const hasDuplicates = (values: readonly string[]): boolean => new Set(values).size < values.length;
const ofType = (conditions: readonly RequestCondition[], type: string) => conditions.filter((each) => each.type === type);
const conditionsOf = ({ status }: CertificateSigningRequest): readonly RequestCondition[] => status.conditions ?? [];

/** Checks a request. What is wrong in `prior` already is allowed in its updates. */
export function validateRequest(
  next: CertificateSigningRequest,
  prior: CertificateSigningRequest | undefined,
  names: Names,
): readonly FieldError[] {
  const { spec, status } = next, path = "spec";
  const problem = requestProblem(spec.request), legacy = spell(names, "{platform}.io/legacy-unknown");
  const isNewCertificate = prior === undefined || (status.certificate ?? "") !== (prior.status.certificate ?? "");
  const chain = isNewCertificate && (prior === undefined || chainProblem(prior.status.certificate) === undefined)
    ? chainProblem(status.certificate)
    : undefined;
  return [
    ...(problem === undefined ? [] : [invalid(`${path}.request`, spec.request, problem)]),
    ...validateUsages(spec.usages ?? [], prior?.spec.usages),
    ...(spec.signerName === legacy && prior?.spec.signerName !== legacy
      ? [invalid(`${path}.signerName`, spec.signerName, "the legacy signerName is not allowed via this API version")]
      : validateSignerName(spec.signerName, `${path}.signerName`)),
    ...(spec.expirationSeconds !== undefined && spec.expirationSeconds < expirationSecondsMin
      ? [invalid(
        `${path}.expirationSeconds`,
        spec.expirationSeconds,
        `may not specify a duration less than ${expirationSecondsMin} seconds (10 minutes)`,
      )]
      : []),
    ...validateConditions(conditionsOf(next), prior === undefined ? [] : conditionsOf(prior)),
    ...(chain === undefined ? [] : [invalid("status.certificate", "<certificate data>", chain)]),
  ];
}

function validateUsages(next: readonly string[], prior: readonly string[] = []): readonly FieldError[] {
  const known: readonly string[] = usages;
  const at = (index: number) => `spec.usages[${index}]`;
  return [
    ...(next.length === 0 ? [required("spec.usages", "")] : []),
    ...(prior.some((each) => !known.includes(each))
      ? []
      : next.flatMap((each, i) => known.includes(each) ? [] : [notSupported(at(i), each, known)])),
    ...(hasDuplicates(prior) ? [] : next.flatMap((each, i) => next.indexOf(each) < i ? [duplicate(at(i), each)] : [])),
  ];
}

function validateConditions(next: readonly RequestCondition[], prior: readonly RequestCondition[]): readonly FieldError[] {
  const path = "status.conditions", errors: FieldError[] = [], seen = new Set<string>();
  const types = prior.map(({ type }) => type), mayBeBoth = approvals.every((type) => types.includes(type));
  for (const [i, { type, status }] of next.entries()) {
    if (type === "" && !types.includes("")) errors.push(required(`${path}[${i}].type`, ""));
    const allowed = decisions.some((each) => each === type) ? ["True"] : statuses;
    if (status === "") errors.push(required(`${path}[${i}].status`, ""));
    else if (!allowed.includes(status)) errors.push(notSupported(`${path}[${i}].status`, status, allowed));
    const other = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (!mayBeBoth && other !== undefined && seen.has(other)) {
      errors.push(invalid(path, type, "Approved and Denied conditions are mutually exclusive"));
    }
    if (seen.has(type) && !hasDuplicates(types)) errors.push(duplicate(`${path}[${i}].type`, type));
    seen.add(type);
  }
  return errors;
}

/** Checks an update by the object itself, its status or its approval. Each may change what is its own. */
export function validateRequestUpdate(
  next: CertificateSigningRequest,
  prior: CertificateSigningRequest,
  names: Names,
  part: "" | "status" | "approval",
): readonly FieldError[] {
  const changes = decisions.flatMap((type): FieldError[] =>
    ofType(conditionsOf(next), type).length < ofType(conditionsOf(prior), type).length
      ? [forbidden("status.conditions", `updates may not remove a condition of type "${type}"`)]
      : []
  );
  const kept = next.status.certificate ?? "", before = prior.status.certificate ?? "";
  return [
    ...validateRequest(next, prior, names),
    ...changes,
    ...(part === "approval" ? [] : approvals.flatMap((type) => changedApproval(next, prior, type))),
    ...(kept === before
      ? []
      : part !== "status"
      ? [forbidden("status.certificate", "updates may not set certificate content")]
      : before === ""
      ? []
      : [forbidden("status.certificate", "updates may not modify existing certificate content")]),
  ];
}

function changedApproval(next: CertificateSigningRequest, prior: CertificateSigningRequest, type: string): readonly FieldError[] {
  const now = ofType(conditionsOf(next), type), before = ofType(conditionsOf(prior), type);
  if (now.length > before.length) return [forbidden("status.conditions", `updates may not add a condition of type "${type}"`)];
  if (now.length < before.length || sameValue(now, before)) return [];
  return [forbidden("status.conditions", `updates may not modify a condition of type "${type}"`)];
}
