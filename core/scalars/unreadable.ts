/** The error of an invalid scalar, with the message for clients. Returned, not thrown, because invalid input is expected. */
export class Unreadable {
  readonly error: string;
  constructor(error: string) {
    this.error = error;
  }
}
