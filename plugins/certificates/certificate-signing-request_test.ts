// In Deno's suite only: the parsers of certificate requests are tested on both runtimes, and rules of kinds use nothing else of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { issueCertificate } from "../../protocols/x509/certificate.ts";
import { certificateSubjectRestriction, maySign } from "./authorize.ts";
import { certificateSigningRequests } from "./certificate-signing-request.ts";
import { fakeRequestContext } from "../../core/test-context.ts";
import { base64Of, hookContext, now, requestFor, texts } from "./test-context.ts";

const request = requestFor("dev");
const metadata = { name: "a", uid: "u", creationTimestamp: now, resourceVersion: "1" };
const chain = base64Of(issueCertificate({ usage: "client", commonName: "a", notBefore: 0, notAfter: 4_000_000_000_000 }).cert);
const make = (spec: object = {}, status: object = {}): any => ({
  metadata,
  spec: { request, signerName: "example.com/a", usages: ["any"], ...spec },
  status,
});
const created = (spec: object) => texts(certificateSigningRequests.create?.(make(spec), hookContext()));
const parts = certificateSigningRequests.served["certificates.{domain}/v1"]!.subresources!;
const condition = (type: string, rest: object = {}) => ({ type, status: "True", lastUpdateTime: now, lastTransitionTime: now, ...rest });
/** The errors of a write of the status or the approval. */
const written = (part: "status" | "approval", next: object, prior: object) => {
  const { write, update } = parts[part]!;
  return texts(update!(write!(make({}, next), make({}, prior), hookContext(part)), make({}, prior), hookContext(part)));
};

test("each field of a request is checked", () => {
  const cases: readonly (readonly [object, ...(string | RegExp)[]])[] = [
    [{}],
    [{ expirationSeconds: 600, usages: ["client auth", "server auth"] }],
    [{ request: "" }, 'spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST'],
    [{ request: requestFor("a", "NEW CERTIFICATE REQUEST") }, /PEM block type must be CERTIFICATE REQUEST$/],
    [{ request: base64Of("-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n") }, /^spec.request: Invalid value/],
    [{ usages: [] }, "spec.usages: Required value"],
    [{ usages: ["any", "x", "any"] }, /^spec.usages\[1\]: Unsupported value: "x"/, 'spec.usages[2]: Duplicate value: "any"'],
    [{ signerName: "" }, "spec.signerName: Required value"],
    [{ signerName: "kubernetes.io/legacy-unknown" }, /the legacy signerName is not allowed via this API version$/],
    [
      { expirationSeconds: 599 },
      "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)",
    ],
  ];
  for (const [spec, ...wanted] of cases) {
    const found = created(spec) ?? [];
    assert.equal(found.length, wanted.length, found.join("\n"));
    for (const [i, want] of wanted.entries()) typeof want === "string" ? assert.equal(found[i], want) : assert.match(found[i]!, want);
  }
});

test("a new request has the sender of the request, whatever it says", () => {
  const next = certificateSigningRequests.prepare!(make({ username: "root", groups: ["system:masters"] }), undefined, hookContext());
  const { username, uid, groups, extra } = next.spec;
  assert.deepEqual({ username, uid, groups, extra }, { username: "alice", uid: "u", groups: ["a", "b"], extra: { scopes: ["x"] } });
  const updated = certificateSigningRequests.prepare!(make({ signerName: "example.com/b" }), make(), hookContext());
  assert.equal(updated.spec.signerName, "example.com/a");
});

test("the approval writes conditions only, sets their times, and removes no decision", () => {
  const { write } = parts["approval"]!;
  const next = write!(
    make({}, { certificate: chain, conditions: [{ type: "Approved", status: "True" }] }),
    make(),
    hookContext("approval"),
  );
  assert.deepEqual(next.status, { conditions: [condition("Approved")] });
  assert.deepEqual(written("approval", { conditions: [condition("Denied")] }, {}), []);
  assert.deepEqual(written("approval", {}, { conditions: [condition("Denied")] }), [
    'status.conditions: Forbidden: updates may not remove a condition of type "Denied"',
  ]);
  assert.deepEqual(written("approval", { conditions: [condition("Approved"), condition("Denied")] }, {}), [
    'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
  ]);
  assert.deepEqual(written("approval", { conditions: [condition("A"), condition("A"), condition("B", { status: "" })] }, {}), [
    'status.conditions[1].type: Duplicate value: "A"',
    "status.conditions[2].status: Required value",
  ]);
});

test("the status writes the certificate once, and no approval", () => {
  assert.deepEqual(written("status", { certificate: chain, conditions: [condition("Failed")] }, {}), []);
  assert.deepEqual(written("status", { conditions: [condition("Approved")] }, {}), [
    'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
  ]);
  // Changes of an approval are undone instead of being an error.
  assert.deepEqual(
    written("status", { conditions: [condition("Approved", { reason: "x" })] }, { conditions: [condition("Approved")] }),
    [],
  );
  assert.deepEqual(written("status", { certificate: chain }, { certificate: base64Of("old") }), [
    "status.certificate: Forbidden: updates may not modify existing certificate content",
  ]);
  const invalid = 'status.certificate: Invalid value: "<certificate data>": ';
  assert.deepEqual(written("status", { certificate: base64Of("a") }, {}), [`${invalid}must contain at least one CERTIFICATE PEM block`]);
  assert.deepEqual(written("status", { certificate: request }, {}), [
    `${invalid}only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"`,
  ]);
});

test("a request to the signer of clients is rejected if it names the group system:masters", () => {
  const reason = (spec: object) => certificateSubjectRestriction.refuse!(make(spec), undefined, fakeRequestContext(hookContext()));
  const signerName = "kubernetes.io/kube-apiserver-client", masters = requestFor("system:masters");
  assert.equal(reason({ signerName, request: masters }), `use of ${signerName} signer with system:masters group is not allowed`);
  assert.equal(reason({ signerName }), undefined);
  assert.equal(reason({ request: masters }), undefined);
});

test("a right on a signer is one for its name or for its domain", async () => {
  const asked: string[] = [];
  const context = (allowed: string) =>
    fakeRequestContext(hookContext(), {
      access: {
        authorize: (_user, { verb, resource, name }) => {
          asked.push(`${verb} ${resource} ${name}`);
          return Promise.resolve({ verdict: name === allowed ? "allow" : "noOpinion", reason: "" });
        },
      },
    });
  assert.equal(await maySign(context("example.com/a"), "approve", "example.com/a"), true);
  assert.equal(await maySign(context("example.com/*"), "sign", "example.com/a"), true);
  assert.equal(await maySign(context("*"), "sign", "example.com/a"), false);
  assert.deepEqual(asked.slice(0, 3), ["approve signers example.com/a", "sign signers example.com/a", "sign signers example.com/*"]);
});

test("the table says how far a request is", () => {
  const cells = (spec: object, status: object) =>
    certificateSigningRequests.served["certificates.{domain}/v1"]!.columns!.slice(2).map(({ cell }) => cell!(make(spec, status)));
  assert.deepEqual(cells({ username: "a", expirationSeconds: 90_061 }, {}), ["example.com/a", "a", "25h", "Pending"]);
  const status = { conditions: [condition("Approved"), condition("Denied"), condition("Failed")], certificate: "YQ==" };
  assert.deepEqual(cells({}, status), ["example.com/a", "", "<none>", "Denied,Failed,Issued"]);
});
