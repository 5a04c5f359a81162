/** An operation of the test control: its path, its body and its answer, once for the check, the document and the pages. */
import { type FieldError, noErrors, omittedValue } from "../../core/field-error.ts";
import { invalidError, StatusError } from "../../core/status-error.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { StructuralSchema } from "../../core/structural-schema.ts";
import type { Controlled } from "./controlled.ts";

/** What a request says. */
export interface Input<B = Record<never, never>> {
  /** The last part of the path that the operation leaves open; "" without one. */
  readonly id: string;
  readonly body: B;
  /** The parameters of the query by their names. */
  readonly query: Readonly<Record<string, string>>;
}

/** An operation. `B`: the type of bodies that `body` accepts. */
export interface Operation<B = any> {
  /** The name in the OpenAPI document. */
  readonly name: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** The path below `/test/`. One part may be `{id}`. */
  readonly path: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  /** The body in JSON, an object. Absent: the operation has none. */
  readonly body?: StructuralSchema;
  /** Bytes of the body. Default: `bodyBytesMax`. */
  readonly bodyBytesMax?: number;
  /** The member of the body that a body of YAML is. */
  readonly yamlMember?: keyof B & string;
  /** The parameters of the query. */
  readonly query?: Readonly<Record<string, StructuralSchema>>;
  /** The answer in JSON, or "yaml" for a text. */
  readonly answer: StructuralSchema | "yaml";
  /** The code of the answer. Default: 200. */
  readonly code?: 200 | 201;
  /** Does it, and returns the answer. Throws StatusError for what cannot be. */
  readonly run: (controlled: Controlled, input: Input<B>) => unknown;
}

/** Makes an operation. */
export function operation<B = Record<never, never>>(of: Operation<B>): Operation {
  return Object.freeze(of);
}

/** The path of errors of a whole body. */
export const wholeBody = "<nil>";

/** The error of a request that is not valid. */
export function invalidRequest(errors: readonly FieldError[]): StatusError {
  const { message, details: { causes = [] } = {} } = invalidError({ group: "", name: "" }, "", errors);
  // Without the name of an object, which a request has not.
  return new StatusError("Invalid", `the request${message.slice(message.indexOf(" is invalid"))}`, { details: { causes } });
}

/** Runs a check of the test server. What it refuses is an error of this field. */
export function checked<T>(path: string, run: () => T, value: unknown = omittedValue): T {
  try {
    return run();
  } catch (error) {
    throw refused(error, path, value);
  }
}

/** As `checked`, for work that takes time. */
export async function checkedLater<T>(path: string, run: () => Promise<T>): Promise<T> {
  return await run().catch((error: unknown) => {
    throw refused(error, path, omittedValue);
  });
}

function refused(error: unknown, path: string, value: unknown): StatusError {
  return error instanceof StatusError ? error : invalidRequest([{ type: "Invalid", path, value, detail: reasonOf(error) }]);
}

/** The errors of a member that only some values may have. */
export function when(isWrong: boolean, error: FieldError): readonly FieldError[] {
  return isWrong ? [error] : noErrors;
}
