/** Types and assertions shared by the parts of the suite for `Reads`. */
import assert from "node:assert/strict";
import { StatusError } from "../../core/status-error.ts";
import type { Fixture } from "./fixture.ts";

export type Case = (what: string, prove: (fixture: Fixture) => Promise<void>) => void;

export const future = 999_999_999_999;

export async function refusedBy(act: () => Promise<unknown>, code: number, message: string | RegExp): Promise<StatusError> {
  const error = await act().then(() => assert.fail(`not rejected with ${code}`), (error: unknown) => error);
  assert.ok(error instanceof StatusError, `${error}`);
  assert.equal(error.code, code);
  if (typeof message === "string") assert.equal(error.message, message);
  else assert.match(error.message, message);
  return error;
}
