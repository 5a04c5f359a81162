// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultIngressClass } from "./admission.ts";
import { ingresses } from "./ingress.ts";
import { hookContext, metadata, texts } from "./test-context.ts";

const backend = { service: { name: "web", port: { number: 80 } } };
const make = (spec: object, more: { readonly annotations?: object; readonly entries?: readonly object[] } = {}): any => ({ // `any`: also wrong objects
  kind: "Ingress",
  apiVersion: "networking.k8s.io/v1",
  metadata: { ...metadata, namespace: "ns", annotations: more.annotations ?? {} },
  spec: { defaultBackend: backend, ...spec },
  status: { loadBalancer: { ingress: more.entries ?? [] } },
});
const annotations = { "kubernetes.io/ingress.class": "old" };
const created = (spec: object, more = {}) => texts(ingresses.create?.(make(spec, more), hookContext()));
const updated = (next: object, prior: object) => texts(ingresses.update?.(make(next), make(prior), hookContext()));

const { status } = ingresses.served["networking.{domain}/v1"]!.subresources!;

test("each rule of an Ingress is reported once", () => {
  const path = (each: object) => ({ rules: [{ http: { paths: [{ backend, ...each }] } }] });
  const at = "spec.rules[0].http.paths[0]";
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{}],
    [{ rules: [{ host: "*.a" }, { host: "a.b" }, {}], tls: [{ hosts: ["*.a", "b"], secretName: "s" }], ingressClassName: "c" }],
    [{ defaultBackend: undefined }, "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"],
    [{ defaultBackend: {} }, 'spec.defaultBackend: Invalid value: "": resource or service backend is required'],
    [
      { defaultBackend: { ...backend, resource: {} } },
      'spec.defaultBackend: Invalid value: "": cannot set both resource and service backends',
    ],
    [
      { defaultBackend: { service: { name: "", port: {} } } },
      "spec.defaultBackend.service.name: Required value",
      "spec.defaultBackend: Required value: port name or number is required",
    ],
    [
      { defaultBackend: { resource: { kind: "", name: "a/b" } } },
      "spec.defaultBackend.resource.kind: Required value",
      "spec.defaultBackend.resource.name: Invalid value: \"a/b\": may not contain '/'",
    ],
    [{ rules: [{ http: { paths: [] } }] }, "spec.rules[0].http.paths: Required value"],
    [path({}), `${at}.pathType: Required value: pathType must be specified`],
    [
      path({ pathType: "x" }),
      `${at}.pathType: Unsupported value: "x": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
    ],
    [path({ pathType: "ImplementationSpecific" })],
    [path({ pathType: "ImplementationSpecific", path: "a" }), `${at}.path: Invalid value: "a": must be an absolute path`],
    [path({ pathType: "Exact" }), `${at}.path: Invalid value: "": must be an absolute path`],
    [
      path({ pathType: "Prefix", path: "/a//.." }),
      `${at}.path: Invalid value: "/a//..": must not contain '//'`,
      `${at}.path: Invalid value: "/a//..": cannot end with '/..'`,
    ],
  ];
  for (const [spec, ...errors] of cases) assert.deepEqual(created(spec), errors, JSON.stringify(spec));
  for (const host of ["*", "a.*.b", "*a.b", "*.", "*.A", `*.${"a".repeat(252)}`]) {
    assert.equal(created({ rules: [{ host }] })?.length, 1, host);
    assert.equal(created({ tls: [{ hosts: [host] }] })?.length, 1, host);
  }
  assert.deepEqual(created({ rules: [{ host: `*.${"a".repeat(251)}` }] }), []);
  assert.deepEqual(created({ rules: [{ host: "192.0.2.1" }] }), [
    'spec.rules[0].host: Invalid value: "192.0.2.1": must be a DNS name, not an IP address',
  ]);
});

test("a new Ingress has one class, and the annotation for it gives a warning", () => {
  assert.deepEqual(created({ ingressClassName: "old" }, { annotations }), []);
  assert.deepEqual(created({ ingressClassName: "new" }, { annotations }), [
    'annotations.kubernetes.io/ingress.class: Invalid value: "old": must match `ingressClassName` when both are specified',
  ]);
  assert.deepEqual(ingresses.warn?.(make({}, { annotations }), undefined, hookContext()), [
    `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
  ]);
  assert.deepEqual(ingresses.warn?.(make({ ingressClassName: "old" }, { annotations }), undefined, hookContext()), []);
  assert.deepEqual(ingresses.warn?.(make({}, { annotations }), make({}), hookContext()), []);
});

test("an update keeps what older releases accepted", () => {
  const stored: readonly (readonly [object, object])[] = [
    [{ tls: [{ secretName: "a_b" }] }, { tls: [{ secretName: "c_d" }] }],
    [{ rules: [{ host: "*.a", http: { paths: [] } }] }, { rules: [{ host: "*.b", http: { paths: [] } }] }],
    [{ defaultBackend: { service: { name: "1a", port: { number: 1 } } } }, {
      defaultBackend: { service: { name: "2b", port: { number: 1 } } },
    }],
  ];
  for (const [prior, next] of stored) {
    assert.deepEqual(updated(next, prior), [], JSON.stringify(next));
    assert.equal(updated(next, {})?.length, 1, JSON.stringify(next));
  }
});

test("the status of an Ingress has addresses and names; a write of the object does not change it", () => {
  const at = "status.loadBalancer.ingress[0]";
  const errors = (entry: object, prior: object = {}) =>
    texts(status!.update!(make({}, { entries: [entry] }), make({}, { entries: [prior] }), hookContext("status")));
  assert.deepEqual(errors({ ip: "::ffff:1.2.3.4", hostname: "a.b" }), []);
  assert.deepEqual(errors({ ip: "x" }), [`${at}.ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`]);
  assert.deepEqual(errors({ ip: "x" }, { ip: "x" }), []);
  assert.deepEqual(errors({ hostname: "192.0.2.1" }), [
    `${at}.hostname: Invalid value: "192.0.2.1": must be a DNS name, not an IP address`,
  ]);
  assert.deepEqual(ingresses.warn?.(make({}, { entries: [{ ip: "010.0.0.1" }] }), make({}), hookContext("status")), [
    `${at}: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"`,
  ]);
  const prior = make({}, { entries: [{ ip: "192.0.2.1" }] });
  assert.deepEqual(ingresses.prepare?.(make({}), prior, hookContext()).status, prior.status);
  assert.deepEqual(ingresses.prepare?.(prior, undefined, hookContext()).status, { loadBalancer: {} });
  assert.deepEqual(status!.write!(make({ ingressClassName: "c" }), prior, hookContext("status")).spec, prior.spec);
});

test("the newest default class is given to a new Ingress that names none", async () => {
  const classNamed = (name: string, creationTimestamp: string, isDefault = "true") => ({
    metadata: { name, creationTimestamp, annotations: { "ingressclass.kubernetes.io/is-default-class": isDefault } },
  });
  const classes = [
    classNamed("b", "2024-01-01T00:00:00Z"),
    classNamed("a", "2024-01-01T00:00:00Z"),
    classNamed("c", "2023-01-01T00:00:00Z"),
  ];
  const given = async (next: unknown, prior?: unknown, list: readonly object[] = classes) => {
    const context: any = { ...hookContext(), read: { list: () => Promise.resolve(list) } }; // `any`: only what the step uses
    return (await defaultIngressClass.mutate!(next as never, prior as never, context)).spec.ingressClassName;
  };
  assert.equal(await given(make({})), "a");
  assert.equal(await given(make({ ingressClassName: "own" })), "own");
  assert.equal(await given(make({}, { annotations })), undefined);
  assert.equal(await given(make({}), make({})), undefined);
  assert.equal(await given(make({}), undefined, [classNamed("d", "2024-01-01T00:00:00Z", "yes")]), undefined);
});
