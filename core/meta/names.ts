/**
 * The rules of names, label keys and label values. Each rule returns upstream's error messages (`k8s.io/apimachinery` validation, 1.35),
 * empty for a valid text. The rules scan untrusted text once from left to right; the patterns in the messages are not executed.
 */
import { append } from "../append.ts";
import { utf8Length } from "../scalars/utf8.ts";

/** Returns the errors of a name, or of a prefix of names if `prefix` is true; empty if valid. */
export type NameRule = (name: string, prefix: boolean) => readonly string[];

type CharacterClass = (code: number) => boolean;

const isDigit: CharacterClass = (code) => code >= 0x30 && code <= 0x39;
const isLower: CharacterClass = (code) => code >= 0x61 && code <= 0x7a;
const isUpper: CharacterClass = (code) => code >= 0x41 && code <= 0x5a;
const isLetter: CharacterClass = (code) => isLower(code) || isUpper(code);
const isLowerOrDigit: CharacterClass = (code) => isLower(code) || isDigit(code);
const isLetterOrDigit: CharacterClass = (code) => isLetter(code) || isDigit(code);
const isDnsInner: CharacterClass = (code) => isLowerOrDigit(code) || code === 0x2d;
const isKeyCharacter: CharacterClass = (code) => isLetterOrDigit(code) || code === 0x2d || code === 0x5f || code === 0x2e;
const isReasonInner: CharacterClass = (code) => isLetterOrDigit(code) || code === 0x5f || code === 0x2c || code === 0x3a;
const isReasonLast: CharacterClass = (code) => isLetterOrDigit(code) || code === 0x5f;

/** Whether `text` from `start` to `end` is not empty, begins with `first`, ends with `last` and has only `inner` between. */
function isWord(text: string, start: number, end: number, first: CharacterClass, inner: CharacterClass, last: CharacterClass): boolean {
  if (start >= end || !first(text.charCodeAt(start))) return false;
  for (let i = start + 1; i < end - 1; i++) if (!inner(text.charCodeAt(i))) return false;
  return end - start === 1 || last(text.charCodeAt(end - 1));
}

function isLabelText(text: string): boolean {
  return isWord(text, 0, text.length, isLowerOrDigit, isDnsInner, isLowerOrDigit);
}
function isSubdomainText(text: string): boolean {
  let start = 0;
  for (let dot = text.indexOf("."); dot >= 0; dot = text.indexOf(".", start)) {
    if (!isWord(text, start, dot, isLowerOrDigit, isDnsInner, isLowerOrDigit)) return false;
    start = dot + 1;
  }
  return isWord(text, start, text.length, isLowerOrDigit, isDnsInner, isLowerOrDigit);
}
function isKeyNameText(text: string, from = 0): boolean {
  return isWord(text, from, text.length, isLetterOrDigit, isKeyCharacter, isLetterOrDigit);
}

const dnsLabelMax = 63;
const dnsSubdomainMax = 253;
const labelPartMax = 63;
const configKeyMax = 253;
const conditionReasonMax = 1024;

const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric " +
  `character (e.g. 'my-name',  or '123-abc', regex used for validation is '${labelPattern}')`;
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric " +
  `character (e.g. 'example.com', regex used for validation is '${labelPattern}(\\.${labelPattern})*')`;
const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric " +
  "character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const keyNamePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const keyNameText = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${keyNamePattern}')`;
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  `character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${keyNamePattern})?')`;
const configKeyText = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' " +
  "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const reasonText =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and " +
  "must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or " +
  "'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/** Names of objects are measured in "characters", label keys and values in "bytes"; both are bytes in UTF-8. */
function tooLong(text: string, max: number, unit: "bytes" | "characters"): string | undefined {
  return utf8Length(text) > max ? `must be no more than ${max} ${unit}` : undefined;
}
function messages(...found: readonly (string | undefined)[]): readonly string[] {
  return found.filter((each) => each !== undefined);
}

/** Returns the errors of a DNS label (RFC 1123) of at most 63 bytes, such as the name of a namespace. Empty if it is valid. */
export function dns1123Label(text: string): readonly string[] {
  const wrong = isLabelText(text) ? undefined : isSubdomainText(text) ? "must not contain dots" : labelText;
  return messages(tooLong(text, dnsLabelMax, "characters"), wrong);
}
/** Returns the errors of a DNS subdomain (RFC 1123) of at most 253 bytes; most names of objects are one. Empty if it is valid. */
export function dns1123Subdomain(text: string): readonly string[] {
  return messages(tooLong(text, dnsSubdomainMax, "characters"), isSubdomainText(text) ? undefined : subdomainText);
}
/**
 * Returns the errors of a DNS label that begins with a letter (RFC 1035), of at most 63 bytes, such as the plural of a kind. Empty if it is
 * valid.
 */
export function dns1035Label(text: string): readonly string[] {
  const right = isWord(text, 0, text.length, isLower, isDnsInner, isLowerOrDigit);
  return messages(tooLong(text, dnsLabelMax, "characters"), right ? undefined : label1035Text);
}

const nothingWrong: readonly string[] = Object.freeze([]);

/**
 * Returns the errors of a `[prefix/]name`: a label key, an annotation key in lower case, a finalizer or the type of a condition. Empty if
 * it is valid.
 */
export function qualifiedName(text: string): readonly string[] {
  // Most names are valid, and a body can have a hundred thousand of them, so a valid name allocates nothing.
  const slash = text.indexOf("/");
  if (text.length <= labelPartMax && isKeyNameText(text, slash + 1) && (slash < 0 || isSubdomainText(text.slice(0, slash)))) {
    return nothingWrong;
  }
  const [first, second, more] = text.split("/", 3);
  if (more !== undefined) {
    return [`a valid label key ${keyNameText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = second ?? first!;
  const found: string[] = [];
  if (second !== undefined) {
    const prefix = first === ""
      ? ["must be non-empty"]
      : messages(tooLong(first!, dnsSubdomainMax, "bytes"), isSubdomainText(first!) ? undefined : subdomainText);
    append(found, prefix.map((each) => `prefix part ${each}`));
  }
  const length = name === "" ? "must be non-empty" : tooLong(name, labelPartMax, "bytes");
  if (length !== undefined) found.push(`name part ${length}`);
  if (!isKeyNameText(name)) found.push(`name part ${keyNameText}`);
  return found;
}
/** Returns the errors of the value of a label, which has at most 63 bytes and may be empty. Empty if it is valid. */
export function labelValue(text: string): readonly string[] {
  return messages(tooLong(text, labelPartMax, "bytes"), text === "" || isKeyNameText(text) ? undefined : labelValueText);
}

/** Returns the errors of a key of a ConfigMap or Secret, which is also the name of a file. Empty if it is valid. */
export function configMapKey(text: string): readonly string[] {
  const found: string[] = [];
  const length = tooLong(text, configKeyMax, "characters");
  if (length !== undefined) found.push(length);
  if (!isWord(text, 0, text.length, isKeyCharacter, isKeyCharacter, isKeyCharacter)) found.push(configKeyText);
  if (text === ".") found.push("must not be '.'");
  else if (text === "..") found.push("must not be '..'");
  else if (text.startsWith("..")) found.push("must not start with '..'");
  return found;
}

/** Returns the errors of the reason of a condition. Empty if it is valid. */
export function conditionReason(text: string): readonly string[] {
  return isWord(text, 0, text.length, isLetter, isReasonInner, isReasonLast) ? [] : [reasonText];
}
/** Maximum bytes of the reason of a condition. */
export const conditionReasonBytesMax = conditionReasonMax;

/** Returns the errors of a port number, which must be from 1 to 65535. Empty if it is valid. */
export function portNumber(port: number): readonly string[] {
  return port >= 1 && port <= 65535 ? [] : ["must be between 1 and 65535, inclusive"];
}

/** Replaces a final dash of a prefix for the validation as a name. It is allowed, because it is not the end of the name. */
function unmaskedPrefix(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
}

/** The rule of names that are DNS subdomains. It is the default rule of kinds. */
export const subdomainName: NameRule = (name, prefix): readonly string[] => dns1123Subdomain(prefix ? unmaskedPrefix(name) : name);
/** The rule of names that are DNS labels (RFC 1123). */
export const labelName: NameRule = (name, prefix): readonly string[] => dns1123Label(prefix ? unmaskedPrefix(name) : name);
/** The rule of names that are DNS labels (RFC 1035). */
export const label1035Name: NameRule = (name, prefix): readonly string[] => dns1035Label(prefix ? unmaskedPrefix(name) : name);
/** The rule of names that must only be a valid path segment, such as those of roles and events. */
export const pathSegmentName: NameRule = (name, prefix): readonly string[] => {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((each) => name.includes(each)).map((each) => `may not contain '${each}'`);
};
