import assert from "node:assert/strict";
import type { Answer, Client } from "../https.ts";
import { type Case, type Change, type KindRules, merged, type Operation, operationsOf, type Rule } from "./rule.ts";

/** Tests every case of a rule in all of its operations; throws at the first response that differs from the rule. */
export async function tryRule(client: Client, kind: KindRules, rule: Rule, nextName: () => string): Promise<void> {
  for (const each of rule.cases) {
    for (const operation of operationsOf(rule, each)) {
      if (operation === "create") await tryCreate(client, kind, each, nextName);
      else await tryOnStored(client, kind, each, operation, nextName());
    }
  }
}

function objectOf(kind: KindRules, name: string, ...changes: readonly (Change | undefined)[]): Change {
  const start: Change = kind.unnamed ? kind.valid : { ...kind.valid, metadata: { name, ...kind.valid["metadata"] as object } };
  return changes.reduce<Change>((object, change) => merged(object, change ?? {}) as Change, start); // Merging records gives a record.
}

async function tryCreate(client: Client, kind: KindRules, each: Case, nextName: () => string): Promise<void> {
  const create = (change: Change | undefined) =>
    client.ask(kind.path, { method: "POST", body: objectOf(kind, nextName(), each.prior, change) });
  refused(await create(each.broken), each, "create");
  accepted(await create(each.held), "create");
}

async function tryOnStored(client: Client, kind: KindRules, each: Case, operation: Operation, name: string): Promise<void> {
  const before = objectOf(kind, name, each.prior ?? each.held);
  accepted(await client.ask(kind.path, { method: "POST", body: before }), "create what is there before");
  const own = `${kind.path}/${name}`;
  if (before["status"] !== undefined) {
    accepted(await put(client, own, `${own}/status`, before), "write the status before");
  }
  if (each.deleting) accepted(await client.ask(own, { method: "DELETE" }), "delete");
  const path = operation === "update" ? own : `${own}/${operation}`;
  refused(await put(client, own, path, objectOf(kind, name, each.prior, each.broken)), each, operation);
  accepted(await put(client, own, path, objectOf(kind, name, each.prior, each.held)), operation);
}

/** A controller may write in between, a few times at most. */
const triesMax = 10;

/** Sends the body with the stored resourceVersion. */
async function put(client: Client, own: string, path: string, body: Change): Promise<Answer> {
  for (let tries = 1;; tries++) {
    const { resourceVersion } = (await client.ask(own)).json().metadata;
    const answer = await client.ask(path, { method: "PUT", body: merged({ metadata: { resourceVersion } }, body) });
    if (answer.status !== 409 || tries === triesMax) return answer;
  }
}

function accepted(answer: Answer, what: string): void {
  assert.ok(answer.status >= 200 && answer.status < 300, `${what} of what is valid: ${answer.status} ${answer.text.slice(0, 2000)}`);
}

function refused(answer: Answer, { at, reason }: Case, operation: Operation): void {
  const shown = `${operation} of what is not valid: ${answer.status} ${answer.text.slice(0, 2000)}`;
  assert.equal(answer.status, 422, shown);
  const status = answer.json();
  assert.equal(status.reason, "Invalid", shown);
  const causes: readonly { readonly field?: string; readonly reason?: string }[] = status.details?.causes ?? [];
  assert.ok(causes.some((cause) => cause.field === at && cause.reason === `FieldValue${reason}`), `no ${reason} at ${at}: ${shown}`);
}
