// In Deno's suite only: the result does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MovedWork } from "../../../core/budget.ts";
import { forbiddenError, type RequestHookContext } from "../../../plugin.ts";
import type { SubjectAttributes } from "../../../toolbox.ts";
import { type Binding, type BoundPolicy, type Policy, runGuarded, visitInvocations } from "./invocations.ts";

const policyOf = (name: string, spec: object = {}): Policy => ({ kind: "ValidatingAdmissionPolicy", metadata: { name }, spec } as Policy);
const bound = (policy: Policy): BoundPolicy<Policy, Binding> => ({ policy, bindings: [] });
function contextOf(failures: string[]): RequestHookContext {
  return { server: { failed: (name: string, error: Error) => void failures.push(`${name}: ${error.message}`) } } as never; // the used member
}

test("runGuarded() logs an unexpected error with the name of the policy, and its failure policy decides", async () => {
  const failures: string[] = [], failed: string[] = [], context = contextOf(failures);
  const visitor = { fail: (policy: Policy, _binding: unknown, message: string) => void failed.push(`${policy.metadata.name}: ${message}`) };
  assert.equal(await runGuarded(policyOf("good"), undefined, visitor, context, () => Promise.resolve(1)), 1);
  assert.equal(await runGuarded(policyOf("bad"), undefined, visitor, context, () => Promise.reject(new TypeError("a fault"))), undefined);
  assert.deepEqual(failures, ["ValidatingAdmissionPolicy bad: a fault"]);
  assert.deepEqual(failed, ["bad: the policy met an unexpected condition, see the log of the server"]);
  const rejection = forbiddenError({ group: "", name: "things" }, "a", "no");
  await assert.rejects(runGuarded(policyOf("good"), undefined, visitor, context, () => Promise.reject(rejection)), rejection);
});

test("runGuarded() passes on that the request goes on in another thread: no failure policy applies", async () => {
  class Moved extends MovedWork {}
  const visitor = { fail: () => assert.fail("no failure") }, moved = new Moved();
  const thrown = await runGuarded(policyOf("p"), undefined, visitor, contextOf([]), () => Promise.reject(moved)).catch((error: unknown) =>
    error
  );
  assert.equal(thrown, moved);
});

test("visitInvocations() goes on after a policy whose rules cannot be read", async () => {
  const failures: string[] = [], failed: string[] = [];
  const bad = policyOf("bad", { matchConstraints: { resourceRules: [null] } });
  await visitInvocations([bound(bad), bound(policyOf("good"))], {} as SubjectAttributes, contextOf(failures), {
    invoke: () => assert.fail("nothing is covered"),
    fail: ({ metadata }) => void failed.push(metadata.name ?? ""),
  });
  assert.equal(failures.length, 1);
  assert.ok(failures[0]!.startsWith("ValidatingAdmissionPolicy bad: "));
  assert.deepEqual(failed, ["bad"]);
});
