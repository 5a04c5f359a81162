// The rules of DeleteOptions, each violated once over HTTP. They have their own test, because they concern a request and not an object.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startTestServer, type TestServer } from "../harness.ts";
import { readFacts } from "../reference/facts.ts";
import { type Client, httpsClient } from "../https.ts";

/** A request; without a cause it is a valid delete. */
interface Ask {
  readonly options: Readonly<Record<string, unknown>>;
  /** Status, reason, and optionally a field with its own reason. */
  readonly refused?: readonly [code: number, reason: string, field?: string, fieldReason?: string];
  readonly collection?: true;
}
interface DeleteRule {
  readonly field: string;
  readonly error: string;
  readonly words: string;
  readonly asks: readonly Ask[];
}

const path = "/api/v1/namespaces/default/configmaps";
const unsafe = "ignoreStoreReadErrorWithClusterBreakingPotential";
const invalidAt = (field: string, reason: string) => [422, "Invalid", field, `FieldValue${reason}`] as const;
const uid = "00000000-0000-4000-8000-000000000000";

const rules: readonly DeleteRule[] = [
  {
    field: "orphanDependents+propagationPolicy",
    error: "Invalid (propagationPolicy)",
    words: "both set",
    asks: [
      { options: { orphanDependents: false, propagationPolicy: "Background" }, refused: invalidAt("propagationPolicy", "Invalid") },
      { options: { orphanDependents: false } },
    ],
  },
  {
    field: "propagationPolicy",
    error: "NotSupported",
    words: "Foreground, Background, Orphan",
    asks: [
      { options: { propagationPolicy: "Later" }, refused: invalidAt("propagationPolicy", "NotSupported") },
      { options: { propagationPolicy: "Background" } },
    ],
  },
  {
    field: "dryRun[]",
    error: "NotSupported",
    words: "only All",
    asks: [
      { options: { dryRun: ["Some"] }, refused: invalidAt("dryRun", "NotSupported") },
      { options: { dryRun: ["All"] } },
    ],
  },
  { field: "gracePeriodSeconds", error: "(none)", words: "negative treated as 1", asks: [{ options: { gracePeriodSeconds: -5 } }] },
  {
    field: "preconditions.uid / resourceVersion",
    error: "Conflict 409",
    words: "mismatch",
    asks: [
      { options: { preconditions: { uid } }, refused: [409, "Conflict"] },
      { options: { preconditions: { resourceVersion: "1" } }, refused: [409, "Conflict"] },
      { options: { preconditions: {} } },
    ],
  },
  {
    field: unsafe,
    error: "Invalid",
    words: "not with dryRun, propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions; never on deletecollection",
    asks: [
      ...[{ dryRun: ["All"] }, { propagationPolicy: "Background" }, { orphanDependents: false }, { gracePeriodSeconds: 0 }, {
        preconditions: { uid },
      }].map((other) => ({ options: { [unsafe]: true, ...other }, refused: invalidAt(unsafe, "Invalid") })),
      { options: { [unsafe]: true }, refused: invalidAt(unsafe, "Invalid"), collection: true as const },
      { options: { [unsafe]: false, gracePeriodSeconds: 0 } },
    ],
  },
];

async function tryAsk(client: Client, name: string, { options, refused, collection }: Ask): Promise<void> {
  assert.equal((await client.ask(path, { method: "POST", body: { metadata: { name } } })).status, 201);
  const body = { kind: "DeleteOptions", apiVersion: "v1", ...options };
  const answer = await client.ask(collection ? path : `${path}/${name}`, { method: "DELETE", body });
  if (refused === undefined) return assert.ok(answer.status < 300, answer.text);
  const [code, reason, field, fieldReason] = refused;
  assert.deepEqual([answer.status, answer.json().reason], [code, reason], answer.text);
  if (field === undefined) return;
  const causes: readonly { readonly field: string; readonly reason: string }[] = answer.json().details.causes;
  assert.ok(causes.some((cause) => cause.field === field && cause.reason === fieldReason), answer.text);
}

describe("options of a delete", () => {
  let server: TestServer | undefined;
  let client: Client | undefined;
  let names = 0;
  before(async () => {
    server = await startTestServer({ args: ["--feature-gates=AllowUnsafeMalformedObjectDeletion=true"] });
    client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  });
  after(async () => {
    client?.close();
    await server?.close();
  });
  for (const { field, error, words, asks } of rules) {
    it(`${field}: ${words} (${error})`, async () => {
      assert.ok(client);
      for (const ask of asks) await tryAsk(client, `case-${++names}`, ask);
    });
  }
  it("no rule of the reference is missing", () => {
    const known: readonly { readonly field: string; readonly error: string; readonly rule: string }[] =
      readFacts<any>("validation-rules.json").delete.options;
    assert.deepEqual(
      rules.map(({ field, error, words }) => [field, error, words]),
      known.map(({ field, error, rule }) => [field, error, rule]),
    );
  });
});
