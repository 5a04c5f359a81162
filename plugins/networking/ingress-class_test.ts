// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { controllerBytesMax, ingressClasses } from "./ingress-class.ts";
import { hookContext, metadata, texts } from "./test-context.ts";

const make = (spec: object, annotations = {}): any => ({ // `any`: also wrong objects
  kind: "IngressClass",
  apiVersion: "networking.k8s.io/v1",
  metadata: { ...metadata, annotations },
  spec: { controller: "example.com/c", ...spec },
});
const created = (spec: object) => texts(ingressClasses.create?.(make(spec), hookContext()));
const updated = (next: object, prior: object = {}) => texts(ingressClasses.update?.(make(next), make(prior), hookContext()));

test("the controller of an IngressClass is a path with a domain, up to 250 bytes, and immutable", () => {
  const prefixed = (bytes: number) => `example.com/${"c".repeat(bytes - 12)}`;
  assert.deepEqual(created({ controller: prefixed(controllerBytesMax) }), []);
  assert.deepEqual(created({ controller: prefixed(controllerBytesMax + 1) }), [
    "spec.controller: Too long: may not be more than 250 bytes",
  ]);
  const shape = 'must be a domain-prefixed path (such as "acme.io/foo")';
  for (const controller of ["own", "/own", "own/"]) {
    assert.deepEqual(created({ controller }), [`spec.controller: Invalid value: "${controller}": ${shape}`]);
  }
  assert.deepEqual(created({ controller: "" }), ["spec.controller: Required value"]);
  assert.deepEqual(created({ controller: "a/b/c%20" }), []);
  assert.deepEqual(created({ controller: "a/ž" })?.length, 1);
  assert.deepEqual(updated({ controller: "example.com/d" }), ['spec.controller: Invalid value: "example.com/d": field is immutable']);
  assert.deepEqual(updated({ parameters: { kind: "K", name: "n", scope: "Cluster" } }), []);
});

test("parameters of an IngressClass name a namespace exactly if their scope is Namespace", () => {
  const of = (parameters: object) => created({ parameters: { kind: "K", name: "n", scope: "Cluster", ...parameters } });
  assert.deepEqual(of({ apiGroup: "example.com" }), []);
  assert.deepEqual(of({ scope: "Namespace", namespace: "some" }), []);
  assert.deepEqual(of({ namespace: "some" }), ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"]);
  assert.deepEqual(of({ scope: "Namespace" }), ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"]);
  assert.deepEqual(of({ kind: "", name: "a/b", scope: undefined, namespace: "Bad" }), [
    "spec.parameters.kind: Required value",
    "spec.parameters.name: Invalid value: \"a/b\": may not contain '/'",
    "spec.parameters.scope: Required value",
  ]);
  assert.deepEqual(of({ scope: "Global" }), [
    'spec.parameters.scope: Unsupported value: "Global": supported values: "Cluster", "Namespace"',
  ]);
});

test("the table of classes marks default classes", () => {
  const [name, , parameters] = ingressClasses.served["networking.{domain}/v1"]!.columns!;
  const key = "ingressclass.kubernetes.io/is-default-class";
  assert.equal(name!.cell!(make({}, { [key]: "true" })), "a (default)");
  assert.equal(name!.cell!(make({}, { [key]: "True" })), "a");
  assert.equal(parameters!.cell!(make({ parameters: { apiGroup: "g", kind: "K", name: "n" } })), "K.g/n");
});
