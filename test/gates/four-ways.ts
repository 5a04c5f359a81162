import assert from "node:assert/strict";
import type { Answer, Client } from "../https.ts";
import { type Change, merged } from "../validation/rule.ts";
import type { FieldCase } from "./cases.ts";
import { valuesAt } from "./walk.ts";

/** One field, and the server of its objects. The objects exist longer than the server. */
export interface Place {
  readonly client: Client;
  readonly of: FieldCase;
  /** As in the key of the case: version, kind, a space and the path. */
  readonly field: string;
  /** Prefix of all object names. */
  readonly prefix: string;
}

/** With the gate enabled the field is ordinary; leaves an object with it for `whileOff`. */
export async function whileOn(place: Place): Promise<void> {
  const { addable = true, removable = true, neverAt } = place.of;
  if (neverAt !== undefined) return refused(await create(place, "stored", "with"), "created with the field", neverAt);
  const full = wanted(place);
  const plain = await made(place, "grown", "without");
  assert.notDeepEqual(plain, full, "the field is there before anybody sets it");
  assert.deepEqual(await made(place, "stored", "with"), full, "created with the field");
  if (addable) assert.deepEqual(await changed(place, "grown", "with"), full, "the field added");
  else refused(await put(place, "grown", "with"), "the field added");
  assert.deepEqual(await changed(place, "stored", "with", "again"), full, "another change with the field stored");
  assert.deepEqual(await made(place, "shrunk", "with"), full);
  if (removable) assert.deepEqual(await changed(place, "shrunk", "without"), plain, "the field taken away");
  else refused(await put(place, "shrunk", "without"), "the field taken away");
}

/** With the gate disabled the field is dropped unless stored, and cannot be added again after its removal. */
export async function whileOff(place: Place): Promise<void> {
  const { removable = true, sealedOff = false, neededAt, neverAt } = place.of;
  if (neverAt !== undefined) return refused(await create(place, "new", "with"), "created with the field", neverAt);
  /** Asserts that a write with the field stores none of it. */
  const dropped = async (name: string, what: string) => {
    if (neededAt !== undefined) refused(await put(place, name, "with"), what, neededAt);
    else assert.deepEqual(await changed(place, name, "with"), [], what);
  };
  if (neededAt !== undefined) refused(await create(place, "new", "with"), "created with the field", neededAt);
  else assert.deepEqual(await made(place, "new", "with"), [], "created with the field");
  assert.deepEqual(await made(place, "bare", "without"), [], "created without the field");
  await dropped("bare", "the field added");
  assert.deepEqual(await changed(place, "stored", "with", "once more"), wanted(place), "another change with the field stored");
  if (!removable || sealedOff) return refused(await put(place, "stored", "without"), "the field taken away");
  assert.deepEqual(await changed(place, "stored", "without"), [], "the field taken away");
  await dropped("stored", "the field added after it was taken away");
}

type Form = "with" | "without";

function objectOf({ of, prefix }: Place, name: string, form: Form, note?: string): Change {
  const metadata = { name: `${prefix}-${name}`, ...(note === undefined ? {} : { annotations: { note } }) };
  // Merging records gives a record.
  return [{ metadata }, of.both ?? {}, form === "with" ? of.with : {}].reduce<Change>(
    (all, each) => merged(all, each) as Change,
    of.of.valid,
  );
}

const pathOf = (place: Place) => place.field.slice(place.field.indexOf(" ") + 1);

function wanted(place: Place): readonly unknown[] {
  const values = valuesAt(objectOf(place, "any", "with"), pathOf(place));
  assert.equal(values.length, 1, "the case has the field once");
  return values;
}

function create(place: Place, name: string, form: Form): Promise<Answer> {
  return place.client.ask(place.of.of.path, { method: "POST", body: objectOf(place, name, form) });
}

/** Whether the field is part of the status, which has its own path. */
const hasStatus = (place: Place) => objectOf(place, "any", "with")["status"] !== undefined;

/** Creates an object and writes its status; returns the value of the field then. */
async function made(place: Place, name: string, form: Form): Promise<readonly unknown[]> {
  const answer = await create(place, name, form);
  assert.equal(answer.status, 201, answer.text);
  return hasStatus(place) ? await changed(place, name, form) : valuesAt(answer.json(), pathOf(place));
}

async function put(place: Place, name: string, form: Form, note?: string, subresource = ""): Promise<Answer> {
  const { client, of: { of }, prefix } = place;
  const own = `${of.path}/${prefix}-${name}`;
  for (let conflicts = 0;; conflicts++) {
    const { resourceVersion, finalizers } = (await client.ask(own)).json().metadata;
    const body = merged(objectOf(place, name, form, note), { metadata: { resourceVersion, finalizers } });
    const answer = await client.ask(`${own}${subresource}`, { method: "PUT", body });
    // The controllers that protect claims and volumes also write.
    if (answer.status !== 409 || conflicts === 5) return answer;
  }
}

/** Updates the object, and its status if it has one; returns the value of the field then. */
async function changed(place: Place, name: string, form: Form, note?: string): Promise<readonly unknown[]> {
  const answer = await put(place, name, form, note);
  assert.equal(answer.status, 200, answer.text);
  if (!hasStatus(place)) return valuesAt(answer.json(), pathOf(place));
  const status = await put(place, name, form, note, "/status");
  assert.equal(status.status, 200, status.text);
  return valuesAt(status.json(), pathOf(place));
}

function refused(answer: Answer, what: string, at?: string): void {
  assert.equal(answer.status, 422, `${what}: ${answer.text}`);
  if (at === undefined) return;
  const causes: readonly { readonly field?: string }[] = answer.json().details.causes;
  assert.ok(causes.some(({ field }) => field === at), `${what}: ${answer.text}`);
}
