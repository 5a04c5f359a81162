/** Errors of calls with arguments of wrong types. */
import { CelError, Duration, Timestamp, type Value } from "../../values.ts";

export const noOverload: CelError = new CelError("no such overload");

/** Returns the error of an operator on a value whose type does not have it. As in upstream, types with methods have the short message. */
export function notSupported(name: string, receiver: Value): CelError {
  const hasMethods = typeof receiver === "string" || receiver instanceof Duration || receiver instanceof Timestamp;
  return hasMethods ? noOverload : new CelError(`no such overload: ${name}`);
}
