// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { networkPolicies } from "./network-policy.ts";
import { hookContext, metadata, texts } from "./test-context.ts";

const make = (spec: object): any => ({ // `any`: also wrong objects
  kind: "NetworkPolicy",
  apiVersion: "networking.k8s.io/v1",
  metadata: { ...metadata, namespace: "ns" },
  spec: { podSelector: {}, policyTypes: ["Ingress"], ...spec },
});
const created = (spec: object) => texts(networkPolicies.create?.(make(spec), hookContext()));
const updated = (next: object, prior: object) => texts(networkPolicies.update?.(make(next), make(prior), hookContext()));
const block = (cidr: string, ...except: string[]) => ({ ingress: [{ from: [{ ipBlock: { cidr, except } }] }] });

test("each port of a NetworkPolicy is checked", () => {
  const port = "spec.egress[0].ports[0]";
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{ protocol: "TCP" }],
    [{ protocol: "SCTP", port: 1, endPort: 65535 }],
    [{ port: "http" }],
    [{ protocol: "tcp" }, `${port}.protocol: Unsupported value: "tcp": supported values: "TCP", "UDP", "SCTP"`],
    [{ port: 0 }, `${port}.port: Invalid value: 0: must be between 1 and 65535, inclusive`],
    [
      { port: 9, endPort: 0 },
      `${port}.endPort: Invalid value: 9: must be greater than or equal to \`port\``,
      `${port}.endPort: Invalid value: 0: must be between 1 and 65535, inclusive`,
    ],
    [
      { port: "80", endPort: 90 },
      `${port}.endPort: Invalid value: 90: may not be specified when \`port\` is non-numeric`,
      `${port}.port: Invalid value: "80": must contain at least one letter (a-z)`,
    ],
    [{ endPort: 90 }, `${port}.endPort: Invalid value: 90: may not be specified when \`port\` is not specified`],
  ];
  for (const [each, ...errors] of cases) assert.deepEqual(created({ egress: [{ ports: [each] }] }), errors, JSON.stringify(each));
});

test("a peer is a selection of pods and namespaces, or a block of addresses", () => {
  const of = (peer: object) => created({ ingress: [{ from: [peer] }] });
  assert.deepEqual(of({ podSelector: {}, namespaceSelector: {} }), []);
  assert.deepEqual(of({}), ["spec.ingress[0].from[0]: Required value: must specify a peer"]);
  assert.deepEqual(of({ namespaceSelector: {}, ipBlock: { cidr: "::/0" } }), [
    "spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer",
  ]);
});

test("exceptions of a block are strict subsets, and stored blocks are not checked again", () => {
  const at = "spec.ingress[0].from[0].ipBlock";
  const bad = (path: string, text: string) =>
    `${at}.${path}: Invalid value: "${text}": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`;
  const wide = (i: number, text: string) => `${at}.except[${i}]: Invalid value: "${text}": must be a strict subset of \`cidr\``;
  assert.deepEqual(created(block("192.0.2.0/24", "192.0.2.128/25")), []);
  assert.deepEqual(created(block("")), [`${at}.cidr: Required value`]);
  assert.deepEqual(created(block("x", "y")), [bad("cidr", "x")]);
  assert.deepEqual(created(block("192.0.2.0/24", "y", "192.0.2.0/24", "192.0.3.0/25", "::/64")), [
    bad("except[0]", "y"),
    wide(1, "192.0.2.0/24"),
    wide(2, "192.0.3.0/25"),
    wide(3, "::/64"),
  ]);
  assert.deepEqual(updated({ egress: [{ to: [{ ipBlock: { cidr: "y" } }] }] }, block("x", "y")), []);
});

test("a NetworkPolicy has at most two types, and keeps invalid labels that its selector has", () => {
  assert.deepEqual(created({ policyTypes: ["Egress", "Egress"] }), []);
  assert.deepEqual(created({ policyTypes: ["Ingress", "Egress", "x"] }), [
    'spec.policyTypes: Invalid value: ["Ingress","Egress","x"]: may not specify more than two policyTypes',
  ]);
  assert.deepEqual(created({ policyTypes: ["x"] }), [
    'spec.policyTypes[0]: Unsupported value: "x": supported values: "Ingress", "Egress"',
  ]);
  const podSelector = { matchExpressions: [{ key: "a", operator: "In", values: ["b c"] }] };
  assert.equal(updated({ podSelector }, {})?.length, 1);
  assert.deepEqual(updated({ podSelector }, { podSelector }), []);
});

test("blocks that are not canonical give warnings", () => {
  const warned = (cidr: string, ...except: string[]) => networkPolicies.warn?.(make(block(cidr, ...except)), undefined, hookContext());
  const at = "spec.ingress[0].from[0].ipBlock";
  assert.deepEqual(warned("10.0.0.0/8", "10.1.0.0/16"), []);
  assert.deepEqual(warned("10.0.0.1/8", "2001:DB8::/32"), [
    `${at}.cidr: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)`,
    `${at}.except[0]: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")`,
  ]);
});

test("the table of policies shows selectors in the order of their keys", () => {
  const cell = (podSelector: object) => networkPolicies.served["networking.{domain}/v1"]!.columns![1]!.cell!(make({ podSelector }));
  assert.equal(cell({}), "<none>");
  const matchExpressions = [
    { key: "d", operator: "NotIn", values: ["y", "x"] },
    { key: "c", operator: "Exists" },
    { key: "a", operator: "DoesNotExist" },
  ];
  assert.equal(cell({ matchLabels: { b: "1" }, matchExpressions }), "!a,b=1,c,d notin (x,y)");
  assert.equal(cell({ matchExpressions: [{ key: "a", operator: "In", values: [] }] }), "<error>");
});
