/** The part of a KMS plugin in the file of --encryption-provider-config, and the rules for it. */
import { type FieldError, invalid, required } from "../../../core/field-error.ts";
import { parseDuration } from "../../../core/scalars/duration.ts";
import { Unreadable } from "../../../core/scalars/unreadable.ts";
import { bound } from "../../../core/bound.ts";

/** Milliseconds of one call of a KMS plugin for which its part of the file has no timeout. */
const kmsTimeoutMsDefault = bound(3_000);

export interface KmsSettings {
  readonly name: string;
  readonly endpoint: string;
  /** Milliseconds of one call. */
  readonly timeoutMs: number;
}

/** As it is written. */
interface Written {
  readonly apiVersion?: string | undefined;
  readonly name: string;
  readonly cachesize?: number | null | undefined;
  readonly endpoint: string;
  readonly timeout?: string | null | undefined;
}

/** Milliseconds of one call, at least one; not a number for a text that is no duration. */
export function kmsTimeoutMs({ timeout }: Pick<Written, "timeout">): number {
  if (timeout == null) return kmsTimeoutMsDefault;
  const nanos = parseDuration(timeout);
  return nanos instanceof Unreadable ? NaN : Math.ceil(Number(nanos) / 1e6);
}

export function kmsMistakes(kms: Written, path: string): readonly FieldError[] {
  const { apiVersion = "", name, cachesize, endpoint, timeout } = kms, errors: FieldError[] = [];
  if (apiVersion !== "v2") errors.push(invalid(`${path}.apiVersion`, apiVersion, "must be v2: v1 is not supported"));
  if (name === "") errors.push(required(`${path}.name`, "a provider needs a name"));
  if (name.includes(":")) errors.push(invalid(`${path}.name`, name, "must not contain a colon"));
  if (!(kmsTimeoutMs(kms) > 0)) errors.push(invalid(`${path}.timeout`, timeout, "must be more than zero"));
  if (endpoint === "") errors.push(required(`${path}.endpoint`, "a provider needs a socket"));
  else if (!isSocket(endpoint)) {
    errors.push(invalid(`${path}.endpoint`, endpoint, "must be the URL of a socket, such as unix:///run/kms.sock"));
  }
  if (cachesize != null) errors.push(invalid(`${path}.cachesize`, cachesize, "is not supported in v2"));
  return errors;
}

function isSocket(endpoint: string): boolean {
  try {
    const { protocol, pathname } = new URL(endpoint);
    return protocol === "unix:" && pathname.length > 1 && decodeURIComponent(pathname) !== "";
  } catch {
    return false;
  }
}
