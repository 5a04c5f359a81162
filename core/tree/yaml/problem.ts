/** The error of a YAML text. Thrown by the modules of this folder and caught by `core/tree/yaml.ts` only. */
export class YamlProblem {
  readonly message: string;
  /** The part of upstream that rejects the text: its parser, or the conversion to JSON after it. */
  readonly from: "parser" | "conversion";
  constructor(message: string, from: "parser" | "conversion" = "parser") {
    this.message = message;
    this.from = from;
  }
}
