// In Deno's suite only: the parsers of keys and certificates are tested on both runtimes, and rules of kinds use nothing else of the runtime.
import assert from "node:assert/strict";
import { constants, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { fakeRequestContext } from "../../core/test-context.ts";
import { podCertificateRequests } from "./pod-certificate-request.ts";
import { chainBytesMax, proofBytesMax, publicKeyBytesMax, validateSpec, validateStatus } from "./pod-certificate-rules.ts";
import { hookContext, texts } from "./test-context.ts";

const podUID = "00000000-0000-4000-8000-000000000001";
type Keys = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const keyFields = ({ publicKey, privateKey }: Keys, hash: string | null, options: object = {}) => ({
  pkixPublicKey: base64(publicKey.export({ type: "spki", format: "der" })),
  proofOfPossession: base64(sign(hash, Buffer.from(podUID), { key: privateKey, ...options })),
});
const ed25519 = keyFields(generateKeyPairSync("ed25519"), null);
const valid = {
  signerName: "example.com/mesh",
  podName: "p",
  podUID,
  serviceAccountName: "default",
  serviceAccountUID: "sa",
  nodeName: "n",
  nodeUID: "1",
  maxExpirationSeconds: 86_400,
  ...ed25519,
};
const checked = (change: object) => texts(validateSpec({ ...valid, ...change } as any, defaultNames)); // `any`: also wrong values

test("the key of a request for a pod is strong, and its owner signs the UID of the pod", () => {
  assert.deepEqual(checked({}), []);
  for (const namedCurve of ["P-256", "P-384"]) {
    assert.deepEqual(checked(keyFields(generateKeyPairSync("ec", { namedCurve }), "sha256")), [], namedCurve);
  }
  const rsa = (modulusLength: number) =>
    keyFields(generateKeyPairSync("rsa", { modulusLength }), "sha256", { padding: constants.RSA_PKCS1_PSS_PADDING });
  assert.deepEqual(checked(rsa(3072)), []);
  assert.deepEqual(checked(rsa(2048)), [
    'spec.pkixPublicKey: Invalid value: "2048-bit modulus": RSA keys must have modulus size 3072 or 4096',
  ]);
  const proof = "spec.proofOfPossession: Invalid value: could not verify proof-of-possession signature";
  assert.deepEqual(checked({ podUID: "other" }), [proof]);
  assert.deepEqual(checked({ proofOfPossession: base64(new Uint8Array(proofBytesMax)) }), [proof]);
  assert.match(checked({ proofOfPossession: base64(new Uint8Array(proofBytesMax + 1)) })!.join(), /proofOfPossession: Too long/);
  assert.match(
    checked({ pkixPublicKey: base64(new Uint8Array(publicKeyBytesMax)) })!.join(),
    /must be a valid PKIX-serialized public key$/,
  );
  assert.match(checked({ pkixPublicKey: base64(new Uint8Array(publicKeyBytesMax + 1)) })!.join(), /pkixPublicKey: Too long/);
  const trailing = base64(Buffer.concat([Buffer.from(ed25519.pkixPublicKey, "base64"), Buffer.of(0)]));
  assert.match(checked({ pkixPublicKey: trailing })!.join(), /must be a valid PKIX-serialized public key$/);
});

test("names, UIDs and the duration of a request for a pod are checked", () => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ signerName: "" }, /^spec.signerName: Required value$/],
    [{ podName: "A" }, /^spec.podName: Invalid value: "A"/],
    [{ serviceAccountName: "A" }, /^spec.serviceAccountName: Invalid value/],
    [{ nodeName: "A" }, /^spec.nodeName: Invalid value/],
    [{ serviceAccountUID: "" }, /^spec.serviceAccountUID: Invalid value: "": must not be empty$/],
    [{ nodeUID: "u".repeat(129) }, /^spec.nodeUID: Too long: may not be more than 128 bytes$/],
    [{ maxExpirationSeconds: 3599 }, /must be in the range \[3600, 7862400\]$/],
    [{ maxExpirationSeconds: 86_401, signerName: "kubernetes.io/mesh" }, /must be in the range \[3600, 86400\]$/],
    [{ unverifiedUserAnnotations: { a: "" } }, /must be a domain-prefixed key/],
  ];
  for (const [change, expected] of cases) {
    assert.match(checked(change)!.join("\n"), expected, JSON.stringify(change));
    assert.equal(checked(change)!.length, 1);
  }
});

test("a status decides once: it is denied or failed without a certificate, or has one", () => {
  const now = Date.parse("2024-01-02T03:04:05Z");
  const condition = (type: string, status = "True") => ({
    type,
    status,
    reason: "A",
    message: "",
    lastTransitionTime: "2024-01-02T03:04:05Z",
  });
  const decided = (next: object, prior: object = {}) => texts(validateStatus(next as any, prior as any, valid as any, now)); // `any`: also wrong values
  const denied = { conditions: [condition("Denied")] };
  assert.deepEqual(decided({}), []);
  assert.deepEqual(decided(denied), []);
  assert.deepEqual(decided({ conditions: [condition("Failed")] }), []);
  const cases: readonly (readonly [object, object, RegExp])[] = [
    [{ certificateChain: "x" }, {}, /^status: Invalid value: status is immutable unless/],
    [{ ...denied, certificateChain: "x" }, {}, /non-condition status fields must be empty/],
    [{}, denied, /^status: Invalid value: immutable after/],
    [{ conditions: [condition("Issued"), condition("Denied")] }, {}, /^status.conditions.\[1\].type: .* at most one condition/],
    [{ conditions: [condition("Issued", "False")] }, {}, /^status.conditions.\[0\].status: Unsupported value: "False"/],
    [{ conditions: [condition("Other")] }, {}, /^status.conditions.\[0\].type: Unsupported value: "Other"/],
    [{ conditions: [condition("Issued")] }, {}, /must contain at least one certificate$/],
    [{ conditions: [condition("Issued")], certificateChain: "x".repeat(chainBytesMax + 1) }, {}, /^status.certificateChain: Too long/],
  ];
  for (const [next, prior, expected] of cases) assert.match(decided(next, prior)!.join("\n"), expected);
});

test("only who may sign for the signer decides about a request", async () => {
  const denied = { conditions: [{ type: "Denied", status: "True", reason: "A", message: "", lastTransitionTime: "2024-01-02T03:04:05Z" }] };
  const prior: any = { metadata: { name: "r", namespace: "ns" }, spec: valid, status: {} }; // `any`: partial objects, also below
  const { authorizeWrite } = podCertificateRequests.served["certificates.{domain}/v1beta1"]!.subresources!["status"]!;
  const write = async (status: object, verdict: string): Promise<string | undefined> => {
    const access: any = { authorize: () => Promise.resolve({ verdict, reason: "" }) };
    try {
      await authorizeWrite!({ ...prior, status }, prior, fakeRequestContext(hookContext("status"), { access }));
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.equal(await write(denied, "allow"), undefined);
  assert.equal(await write({}, "noOpinion"), undefined, "nothing changes");
  assert.equal(await write({ certificateChain: "x" }, "noOpinion"), undefined, "other errors come first");
  const expected = 'spec.signerName: Forbidden: User "alice" is not permitted to "sign" for signer "example.com/mesh"';
  assert.equal(await write(denied, "noOpinion"), `PodCertificateRequest.certificates.k8s.io "r" is invalid: ${expected}`);
});
