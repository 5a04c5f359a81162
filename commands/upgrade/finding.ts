/** What a conversion reports about a place of a file. */

export interface Finding {
  /** `choice`: a value that only a person can choose. `note`: what was written so that the behaviour stays the same. */
  readonly level: "choice" | "note";
  /** The first line of the file is 1. */
  readonly line: number;
  /** Path of the field in the object as it was written: `spec.rules[0].host`. */
  readonly field: string;
  readonly text: string;
}

/** A finding as a line for people. */
export const findingLine = (path: string, { level, line, field, text }: Finding): string => `${path}:${line}: ${field}: ${level}: ${text}`;

/** A document that cannot be read; the message is for the user. */
export class ManifestError extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** A form of an object that is not converted, such as an alias in the place of a changed field. */
export class FormError extends ManifestError {
  readonly field: string;
  constructor(line: number, field: string, message: string) {
    super(line, message);
    this.field = field;
  }
}
