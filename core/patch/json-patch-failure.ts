/** The failure of a JSON patch. */
import { StatusError } from "../status-error.ts";

/** 422 with upstream's message, which does not name the operation. */
export class JsonPatchFailure extends StatusError {
  /** The reason, as upstream's library (evanphx/json-patch, version 4) words it. */
  readonly why: string;
  /** Whether a `test` found another value. */
  readonly isTest: boolean;
  /** Whether copies exceed a bound. */
  readonly isTooLarge: boolean;
  constructor(why: string, { isTest = false, isTooLarge = false }: Partial<Pick<JsonPatchFailure, "isTest" | "isTooLarge">> = {}) {
    super("Invalid", "the server rejected our request due to an error in our request", { details: {} });
    this.why = why;
    this.isTest = isTest;
    this.isTooLarge = isTooLarge;
  }
}

/** Runs a part of an operation. The reason of its failure is preceded by `prefix`. */
export function within<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof JsonPatchFailure ? new JsonPatchFailure(`${prefix}: ${error.why}`, error) : error;
  }
}
