// In Deno's suite only: the result does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../../../plugin.ts";
import { calledForm, type ReviewedRequest } from "./call.ts";
import type { KnownWebhook } from "./known-webhooks.ts";

test("a webhook whose rules cannot be read is logged by its name, and its failure policy decides", async () => {
  const failures: string[] = [];
  const request = { subject: {}, context: { server: { failed: (name: string) => void failures.push(name) } }, type: "validating" };
  const call = (failurePolicy: string) =>
    calledForm(
      { webhook: { name: "a.example.com", failurePolicy, rules: [null] } } as unknown as KnownWebhook, // the fault
      request as unknown as ReviewedRequest,
    );
  assert.equal(await call("Ignore"), undefined);
  await assert.rejects(call("Fail"), (error) =>
    error instanceof StatusError && error.code === 500 &&
    error.message.includes('failed calling webhook "a.example.com": the call met an unexpected condition, see the log of the server'));
  assert.deepEqual(failures, ["webhook a.example.com", "webhook a.example.com"]);
});
