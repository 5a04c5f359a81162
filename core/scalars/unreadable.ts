/** What is wrong with the text of a scalar, in the words that clients see. A value, because bad input is expected. */
export class Unreadable {
  readonly error: string;
  constructor(error: string) {
    this.error = error;
  }
}
