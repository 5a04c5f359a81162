/** What a client learns about the end of its command: a Status, in the form that the fifth protocol has. */
import { StatusError } from "../../../../plugin.ts";
import { goQuote } from "../../../../toolbox.ts";

const exitReason = "NonZeroExitCode", exitCause = "ExitCode";

type Outcome = Readonly<Record<string, unknown>>;

const success: Outcome = Object.freeze({ metadata: {}, status: "Success" });

/** The Status of what went wrong here or at the kubelet. */
export function failed(message: string): Outcome {
  const text = message.toWellFormed();
  const details = { causes: [{ message: text }] };
  return { metadata: {}, status: "Failure", message: `Internal error occurred: ${text}`, reason: "InternalError", details, code: 500 };
}

/** The Status of an error. */
export function outcomeOfError(error: unknown): Outcome {
  if (error instanceof StatusError && error.code < 500) {
    return { metadata: {}, status: "Failure", message: error.message.toWellFormed(), reason: error.reason, code: error.code };
  }
  return failed(error instanceof Error ? error.message : "unknown error");
}

/** What of a Status is read. */
interface Found {
  readonly status?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: { readonly causes?: readonly { readonly reason?: unknown; readonly message?: unknown }[] };
}

/** The Status for the client of what the kubelet has written into its stream of errors, which is a Status in JSON, or nothing. */
export function outcomeOf(text: string): Outcome {
  if (text === "") return success;
  let found: Found | null;
  try {
    found = JSON.parse(text) as Found | null; // each member is checked below
  } catch {
    return failed(`error stream protocol error: invalid JSON in ${goQuote(text)}`);
  }
  if (found?.status === "Success") return success;
  if (found?.status !== "Failure") return failed("error stream protocol error: unknown error");
  if (found.reason !== exitReason) return failed(typeof found.message === "string" ? found.message : "");
  if (found.details === undefined) return failed("error stream protocol error: details must be set");
  const { causes } = found.details, cause = Array.isArray(causes) ? causes.find((each) => each?.reason === exitCause) : undefined;
  if (cause === undefined) return failed(`error stream protocol error: no ${exitCause} cause given`);
  const code = String(cause.message);
  if (!/^[0-9]{1,3}$/.test(code) || Number(code) > 255) return failed(`error stream protocol error: invalid exit code value "${code}"`);
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: command terminated with exit code ${Number(code)}`,
    reason: exitReason,
    details: { causes: [{ reason: exitCause, message: String(Number(code)) }] },
  };
}

/** The error of a kubelet that does not accept the offer: a Status as it is, or a text. */
export function refusalOf(text: string): Outcome {
  try {
    const found = JSON.parse(text) as Outcome | null; // sent on as it is
    if (found?.["kind"] === "Status") return found;
  } catch {
    // It is a text.
  }
  return failed(`unable to upgrade connection: ${text.trim()}`);
}
