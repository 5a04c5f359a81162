/** Named formats: `format.dns1123Label().validate(text)`, upstream's library `kubernetes.format`. */
import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  label1035Name,
  labelName,
  labelValue,
  qualifiedName,
  subdomainName,
} from "../../../core/meta/names.ts";
import { exactly, patternFactor, scale, traversalFactor } from "../../cost/range.ts";
import { listType, objectType, optionalType, stringType } from "../../types.ts";
import { ArrayList } from "../../value/collections.ts";
import { traversal } from "../../value/size.ts";
import { spend } from "../../value/work.ts";
import { CelError, OpaqueValue, OptionalValue, type Value } from "../../values.ts";
import { type Costs, declare, sizeOf } from "../costs.ts";
import type { Library } from "../library.ts";
import { member, overload } from "../standard/overload.ts";
import { isDate, isDateTime } from "./dates.ts";
import { requestUriMistake } from "../../../core/net/url/parse.ts";

const formatType = objectType("kubernetes.NamedFormat");

/** A named format. */
export class FormatValue extends OpaqueValue {
  readonly type = "kubernetes.NamedFormat";
  readonly name: string;
  /** Length of the format's pattern, by which upstream charges a validation. */
  readonly patternLength: number;
  readonly validate: (text: string) => readonly string[];
  constructor(name: string, patternLength: number, validate: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.patternLength = patternLength;
    this.validate = validate;
  }
  equals(other: Value): boolean | CelError {
    return other instanceof FormatValue ? other.name === this.name : new CelError("no such overload");
  }
}

function unless(holds: (text: string) => boolean, message: string): (text: string) => readonly string[] {
  return (text) => holds(text) ? [] : [message];
}

const uuid = /^[0-9A-Fa-f]{8}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{12}$/;
/** Whether the text is base64: one or more groups of four characters, of which the last may be padded. */
function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
function uriMistakes(text: string): readonly string[] {
  const mistake = requestUriMistake(text);
  return mistake === undefined ? [] : [mistake.error];
}

/** The formats by the names that expressions use. */
const formats: ReadonlyMap<string, FormatValue> = new Map([
  ["dns1123Label", new FormatValue("DNS1123Label", 30, dns1123Label)],
  ["dns1123Subdomain", new FormatValue("DNS1123Subdomain", 60, dns1123Subdomain)],
  ["dns1035Label", new FormatValue("DNS1035Label", 30, dns1035Label)],
  ["qualifiedName", new FormatValue("QualifiedName", 60, qualifiedName)],
  ["dns1123LabelPrefix", new FormatValue("DNS1123LabelPrefix", 30, (text) => labelName(text, true))],
  ["dns1123SubdomainPrefix", new FormatValue("DNS1123SubdomainPrefix", 60, (text) => subdomainName(text, true))],
  ["dns1035LabelPrefix", new FormatValue("DNS1035LabelPrefix", 30, (text) => label1035Name(text, true))],
  ["labelValue", new FormatValue("LabelValue", 40, labelValue)],
  ["uri", new FormatValue("URI", 1103, uriMistakes)],
  ["uuid", new FormatValue("uuid", 70, unless((text) => uuid.test(text), "does not match the UUID format"))],
  ["byte", new FormatValue("byte", 84, unless(isBase64, "invalid base64"))],
  ["date", new FormatValue("date", 71, unless(isDate, "invalid date"))],
  ["datetime", new FormatValue("datetime", 71, unless(isDateTime, "invalid datetime"))],
]);

function validate(format: FormatValue, text: string): OptionalValue {
  spend(text.length);
  const found = format.validate(text);
  return new OptionalValue(found.length === 0 ? undefined : new ArrayList(found));
}

/** Length of the pattern that an estimate assumes. */
const estimatedPattern = 128;
/** Costs of the text's length times the pattern's. The text counts as one character longer. */
const validating: Costs = {
  cost: (_, [format, text]) =>
    format instanceof FormatValue && text !== undefined ? traversal(1 + sizeOf(text)) * Math.ceil(format.patternLength * patternFactor) : 1,
  estimate: ({ args }, estimator) => {
    if (args[0] === undefined) return undefined;
    return { cost: scale(scale(estimator.sizeOf(args[0]), traversalFactor), estimatedPattern * patternFactor) };
  },
};

const named = declare("format.named", {
  cost: () => 1,
  estimate: () => ({ cost: exactly(1n) }),
}, overload("format-named", [stringType], optionalType(formatType), (name) => new OptionalValue(formats.get(name as string))));

export const formatLibrary: Library = {
  name: "kubernetes.format",
  since: 31,
  functions: [
    declare(
      "validate",
      validating,
      member(
        "format-validate",
        [formatType, stringType],
        optionalType(listType(stringType)),
        (format, text) => validate(format as FormatValue, text as string),
      ),
    ),
    named,
    ...[...formats].map(([name, format]) => declare(`format.${name}`, {}, overload(`format.${name}`, [], formatType, () => format))),
  ],
};
