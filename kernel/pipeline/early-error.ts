/** Errors of the steps before a request is carried out. Their replies differ from those of later errors. */

/** An error before the user of a request is known. */
export class Unidentified {
  readonly error: unknown;
  /** Whether the credentials were not read yet. */
  readonly isUnread: boolean;

  constructor(error: unknown, isUnread: boolean) {
    this.error = error;
    this.isUnread = isUnread;
  }
}

/** An error of impersonation, of the limit of requests in flight, or of authorization. */
export class NotPermitted {
  readonly error: unknown;
  readonly step: "impersonation" | "limit" | "authorization";

  constructor(error: unknown, step: NotPermitted["step"]) {
    this.error = error;
    this.step = step;
  }
}

/** Whether an error ended a request before it was carried out. */
export function isEarly(thrown: unknown): thrown is Unidentified | NotPermitted {
  return thrown instanceof Unidentified || thrown instanceof NotPermitted;
}
