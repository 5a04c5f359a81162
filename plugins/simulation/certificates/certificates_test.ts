// Certificates that are granted, and which requests are.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { certificateFacts, grantCertificate, issueCertificate } from "../../../protocols/x509/certificate.ts";
import type { CertificateRequest } from "../../../protocols/x509/certificate-request.ts";
import { requestIn } from "../../certificates/mod.ts";
import { requestFor } from "../../certificates/test-context.ts";
import { eventually, openSimulation } from "../test-world.ts";
import { signers } from "./signers.ts";
import { usageExtensions } from "./usages.ts";

const day = 86_400_000, now = Date.UTC(2026, 5, 1);

test("grantCertificate(): a certificate for the key of a request, by the CA, which it does not outlive", () => {
  const ca = issueCertificate({ commonName: "ca", usage: "ca", notBefore: now, notAfter: now + 10 * day }),
    request = requestIn(requestFor("team"));
  const granted = (notAfter: number) =>
    new X509Certificate(grantCertificate({
      ...{ subject: request.subject, publicKeyInfo: request.publicKeyInfo, notBefore: now, notAfter },
      ...usageExtensions(["digital signature", "key encipherment", "client auth"]),
    }, ca));
  const certificate = granted(now + day), authority = new X509Certificate(ca.cert);
  assert.ok(certificate.verify(authority.publicKey));
  assert.equal(certificate.subject, "O=team");
  assert.equal(certificate.issuer, authority.subject);
  assert.deepEqual(certificateFacts(certificate.raw).extendedKeyUsages, ["1.3.6.1.5.5.7.3.2"]);
  assert.equal(Date.parse(certificate.validTo), now + day);
  assert.equal(Date.parse(granted(now + 20 * day).validTo), now + 10 * day);
});

test("each signer grants what kube-controller-manager grants", () => {
  const names = (dns: readonly string[]) => ({ names: { dns, emails: [], uriHosts: [], addresses: [] }, bytes: new Uint8Array() });
  const request = (organization: string, commonName: string, dns: readonly string[] = []) =>
    ({
      subjectAttributes: [["2.5.4.10", organization], ["2.5.4.3", commonName]],
      alternative: dns.length === 0 ? undefined : names(dns),
    }) as unknown as CertificateRequest;
  const node = request("system:nodes", "system:node:a"),
    named = request("system:nodes", "system:node:a", ["a"]),
    user = request("team", "a");
  const client = ["digital signature", "client auth"], server = ["digital signature", "key encipherment", "server auth"];
  for (
    const [signer, of, usages, problem] of [
      ["kube-apiserver-client", user, client, undefined],
      ["kube-apiserver-client", user, ["server auth"], "invalid usage for client certificate: server auth"],
      ["kube-apiserver-client", user, ["digital signature"], "missing required usage for client certificate: client auth"],
      ["kube-apiserver-client-kubelet", node, client, undefined],
      ["kube-apiserver-client-kubelet", node, server, "usages did not match [client auth digital signature key encipherment]"],
      ["kube-apiserver-client-kubelet", named, client, "DNS subjectAltNames are not allowed"],
      ["kube-apiserver-client-kubelet", user, client, "subject organization is not system:nodes"],
      ["kubelet-serving", named, server, undefined],
      ["kubelet-serving", node, server, "DNS or IP subjectAltName is required"],
      ["legacy-unknown", user, ["code signing"], undefined],
    ] as const
  ) assert.equal(signers.get(`kubernetes.io/${signer}`)!(of, usages), problem, signer);
});

test("usages become the bits of one extension and the identifiers of another", () => {
  const { keyUsage, extendedKeyUsages } = usageExtensions(["signing", "digital signature", "cert sign", "server auth", "any"]);
  assert.deepEqual([keyUsage, extendedKeyUsages], [[0, 5], ["1.3.6.1.5.5.7.3.1", "2.5.29.37.0"]]);
});

test("a request for a wrong use fails, and says why", async () => {
  await using world = await openSimulation();
  const version = "certificates.k8s.io/v1", plural = "certificatesigningrequests";
  const made = await world.api.create(version, plural, "", {
    metadata: { name: "r" },
    spec: { request: requestFor("team"), signerName: "kubernetes.io/kube-apiserver-client", usages: ["server auth"] },
  });
  const conditions = [{ type: "Approved", status: "True", reason: "Test" }];
  await world.api.update(version, plural, "", "r", { ...made, status: { conditions } }, { subresource: "approval" });
  const failed = await eventually(async () => {
    const { status } = await world.api.get(version, plural, "", "r") as unknown as {
      status: { conditions: { type: string; message?: string }[] };
    };
    const found = status.conditions.find(({ type }) => type === "Failed");
    assert.ok(found);
    return found;
  });
  assert.equal(failed.message, "invalid usage for client certificate: server auth");
});
