/** Errors of hooks that reach the test. */
import type { Api } from "../core/api.ts";
import { StatusError } from "../core/status-error.ts";
import { typedApis } from "../core/typed-api.ts";
import type { Server } from "../kernel/server.ts";

/** Wraps a server so that unexpected errors are recorded when it reports them. A StatusError is an expected reply. */
export function recordUnexpected(server: Server) {
  const errors = new Map<string, unknown>();
  const report = (error: unknown, reference: string) => {
    server.report(error, reference);
    if (!(error instanceof StatusError)) errors.set(reference, error);
  };
  return {
    // Object.create, not a copy: the catalog is a getter, and it changes with a reload.
    server: Object.create(server, { report: { value: report, enumerable: true } }) as Server,
    /** Throws the first error, if any. */
    check() {
      for (const error of errors.values()) throw error;
    },
    /** The error of a reference, once. */
    take(reference: string): unknown {
      const error = errors.get(reference);
      errors.delete(reference);
      return error;
    },
  };
}

/** Wraps the API so that its methods reject with the recorded error instead of the InternalError that refers to it. */
export function rethrowingApi(api: Api, take: (reference: string) => unknown): Api {
  const rethrow = (error: unknown) => {
    const message = error instanceof StatusError && error.reason === "InternalError" ? error.details?.causes?.[0]?.message : undefined;
    throw (message === undefined ? undefined : take(message.replace("reference ", ""))) ?? error;
  };
  const methods = Object.entries(api).map(([name, method]: [string, (...args: unknown[]) => unknown]) => {
    const wrapped = (...args: unknown[]) => {
      const result = method(...args);
      return result instanceof Promise ? result.catch(rethrow) : result;
    };
    return [name, wrapped];
  });
  const wrapped: Api = { ...Object.fromEntries(methods) as Api, of: typedApis(() => wrapped) }; // `as`: the same methods
  return wrapped;
}
