// What a conversion counts, refuses, and leaves to a person.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { issueCertificate } from "../../protocols/x509/certificate.ts";
import { definitionRules } from "../../commands/definition-rules.ts";
import { objectsInText } from "../../commands/upgrade/advise/text-objects.ts";
import { choiceCount, convertedCount, convertManifest } from "../../commands/upgrade/convert.ts";
import { isCertificateChain } from "../../commands/upgrade/rules/certificate-chain.ts";
import { plugins } from "../../plugins/mod.ts";

const convert = (text: string) => convertManifest(text, { names: defaultNames, check: definitionRules(plugins, defaultNames) });

test("objects and choices on one line are counted each, a schema that is copied once", () => {
  const webhook = { clientConfig: { url: "https://a.example.org" } };
  const done = convert(JSON.stringify({
    apiVersion: "v1",
    kind: "List",
    items: [
      {
        apiVersion: "admissionregistration.k8s.io/v1beta1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "a" },
        webhooks: [webhook, webhook],
      },
      { apiVersion: "batch/v1beta1", kind: "CronJob", metadata: { name: "b" } },
    ],
  }));
  assert.deepEqual([convertedCount(done), choiceCount(done)], [2, 3]); // two of sideEffects, and the same name twice
  const versions = ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1" }));
  const schema = { openAPIV3Schema: { type: "object", properties: { a: {} } } };
  const copied = convert(JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1beta1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.org" },
    spec: {
      group: "example.org",
      names: { kind: "Widget", plural: "widgets" },
      versions,
      validation: schema,
      preserveUnknownFields: false,
    },
  }));
  assert.deepEqual(copied.findings.filter(({ level }) => level === "choice").map(({ text }) => text), ["required in a structural schema"]);
});

test("lists, and targets of autoscalers that are converted, are no objects of their own", () => {
  const target = "\nspec: {scaleTargetRef: {apiVersion: extensions/v1beta1, kind: Deployment, name: a}}\n";
  assert.equal(convertedCount(convert(`apiVersion: autoscaling/v2beta1\nkind: HorizontalPodAutoscaler${target}`)), 1);
  assert.equal(convertedCount(convert(`apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler${target}`)), 1);
  assert.equal(
    convertedCount(convert("apiVersion: batch/v1beta1\nkind: CronJobList\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\n")),
    2,
  );
});

test("the objects of an autoscaler's metrics are converted, too", () => {
  const { text } = convert(`apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
spec:
  metrics:
  - type: Object
    object:
      describedObject: {apiVersion: extensions/v1beta1, kind: Ingress, name: web}
      target: {type: Value, value: "1"}
`);
  assert.match(text, /describedObject: \{apiVersion: networking\.k8s\.io\/v1, kind: Ingress, name: web\}/);
});

test("a converted definition is checked by the rules of the server, at the line of the field", () => {
  const { findings } = convert(`apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  names: {kind: Widget, plural: widgets}
  version: v1
  scope: Cluster
  preserveUnknownFields: false
  validation:
    openAPIV3Schema:
      type: object
      properties:
        a: {type: string}
        b: {type: array, uniqueItems: true, items: {type: string}}
`);
  assert.deepEqual(findings.map(({ line, field, level, text }) => `${line} ${field} ${level} ${text}`), [
    "15 spec.versions[0].schema.openAPIV3Schema.properties[b].uniqueItems choice a server rejects it: Forbidden: uniqueItems cannot be set to true since " +
    "the runtime complexity becomes quadratic",
  ]);
});

test("a value of a definition with a wrong type is a choice", () => {
  const text =
    "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nspec: {version: v1, group: 1, scope: Cluster, names: {}}\n";
  assert.match(convert(text).findings.map(({ text }) => text).join(), /a server rejects it: .*spec\.group/);
});

test("a certificate that is no chain of CERTIFICATE blocks is a choice", () => {
  const { cert, key } = issueCertificate({ usage: "ca", commonName: "a", notBefore: 0, notAfter: 1_000_000 });
  const headed = cert.replace("-----\n", "-----\nProc-Type: 4\n\n");
  for (const pem of [cert, `text\n${cert}\nmore\n${cert}`]) assert.equal(isCertificateChain(btoa(pem)), true, pem);
  for (
    const pem of ["", "none", cert + key, headed, cert.replace("END CERTIFICATE", "END CERT"), cert.slice(0, -40), cert.replace("MI", "AA")]
  ) {
    assert.equal(isCertificateChain(btoa(pem)), false, pem);
  }
  assert.equal(isCertificateChain(cert), false);
  const request = (certificate: string) =>
    convert(JSON.stringify({
      apiVersion: "certificates.k8s.io/v1beta1",
      kind: "CertificateSigningRequest",
      spec: { signerName: "example.org/s", usages: ["client auth"] },
      status: { certificate },
    })).findings.map(({ field }) => field);
  assert.deepEqual([request(btoa(cert)), request(""), request(btoa(cert + key))], [[], [], ["status.certificate"]]);
});

test("an explicit null of a new field is replaced, and that of an old one removed", () => {
  const endpoint = {
    addresses: ["10.0.0.1"],
    nodeName: null,
    zone: null,
    topology: { "kubernetes.io/hostname": "n", "topology.kubernetes.io/zone": "z" },
  };
  const converted = (object: object) => JSON.parse(convert(JSON.stringify(object)).text);
  const slice = converted({
    apiVersion: "discovery.k8s.io/v1beta1",
    kind: "EndpointSlice",
    endpoints: [endpoint, { addresses: [], topology: null }],
  });
  assert.deepEqual(slice.endpoints, [{ addresses: ["10.0.0.1"], nodeName: "n", zone: "z" }, { addresses: [] }]);
  const text = convert(
    '{"apiVersion":"events.k8s.io/v1beta1","kind":"Event","eventTime":null,"reportingController":null,"deprecatedSource":{"component":"c"},"deprecatedFirstTimestamp":"2024-01-02T03:04:05Z"}',
  ).text;
  assert.deepEqual([text.split("eventTime").length, text.split("reportingController").length], [2, 2]);
});

test("what is no YAML is an error also without an old version in it; a template is not", () => {
  for (const text of ["apiVersion: v1\nkind: Pod\nspec: [a, b\n", "a: {b: c\n", "a: 'b\n"]) {
    assert.equal(convert(text).errors.length, 1, text);
    assert.deepEqual([...objectsInText(text, (line) => ({ name: "f", line }))].map(({ tag }) => tag), ["unread"], text);
  }
  const [error] = convert("a: b\n---\nc: d\ne: [1\n").errors;
  assert.ok(error!.line >= 3, String(error!.line));
  for (const text of ["a: {{ .Values.a\n", "", "# nothing\n", "a: !vault b\n"]) assert.deepEqual(convert(text).errors, [], text);
});

test("a list of objects at the root is an error, a list of changes is not", () => {
  assert.match(convert("- {apiVersion: batch/v1beta1, kind: CronJob}\n").errors[0]!.message, /write kind List/);
  assert.deepEqual(convert("- {op: replace, path: /apiVersion, value: batch/v1beta1}\n").errors, []);
});
