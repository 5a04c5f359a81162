import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError, statusOf } from "../../core/status-error.ts";
import { type FaultKind, faultsOf, troubleText } from "../store/fault.ts";
import { tooLargeRevision } from "../reads/reads.ts";
import { withStoreTrouble } from "./failure.ts";

function faultsWith(...kinds: readonly FaultKind[]) {
  const faults = faultsOf({ now: () => 0 }, { begun() {}, ended() {} });
  for (const kind of kinds) faults.begin({ kind, of: "a", state: `a is ${kind}`, over: "", cause: "silent", advice: "" });
  return faults;
}

test("troubleText() names the faults that keep requests waiting: not a full disk, nor one member of several", () => {
  assert.equal(troubleText(faultsWith()), undefined);
  assert.equal(troubleText(faultsWith("full", "member")), undefined);
  assert.equal(troubleText(faultsWith("member", "unreachable")), "a is unreachable since 1970-01-01T00:00:00.000Z: silent");
  const both = "a is refused since 1970-01-01T00:00:00.000Z: silent; a is failing since 1970-01-01T00:00:00.000Z: silent";
  assert.equal(troubleText(faultsWith("refused", "failing")), both);
});

test("withStoreTrouble() adds the trouble to a Timeout beside its causes, and to nothing else", () => {
  const late = new StatusError("Timeout", "Timeout: late", { details: {} });
  assert.equal(withStoreTrouble(late, undefined), late);
  const { message, details, code } = statusOf(withStoreTrouble(late, "etcd is silent"));
  assert.deepEqual([code, message], [504, "Timeout: late; etcd is silent"]);
  assert.deepEqual(details, { causes: [{ reason: "StoreUnavailable", message: "etcd is silent" }] });
  const future = tooLargeRevision(9, 1), told = withStoreTrouble(future, "etcd is silent");
  assert.deepEqual(told.details?.causes, [...future.details?.causes ?? [], { reason: "StoreUnavailable", message: "etcd is silent" }]);
  assert.equal(told.details?.retryAfterSeconds, future.details?.retryAfterSeconds);
  const conflict = new StatusError("Conflict", "changed");
  assert.equal(withStoreTrouble(conflict, "etcd is silent"), conflict);
});
