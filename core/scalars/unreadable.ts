/** The error of an invalid scalar, with the message for clients. Returned, not thrown, because invalid input is expected. */
export class Unreadable {
  /** What is wrong with the text, in upstream's words. */
  readonly error: string;
  /** `error` is the message for the client, without a full stop. */
  constructor(error: string) {
    this.error = error;
  }
}
