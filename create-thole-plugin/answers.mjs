// The answers to the questions: from the command line, or typed.

/** Input that cannot be used; the message is for the user. */
export class Mistake extends Error {}

const kindPattern = /^[A-Z][A-Za-z0-9]{0,39}$/;
const labelPattern = /^[a-z0-9][a-z0-9-]{0,38}[a-z0-9]$|^[a-z0-9]$/;

/** `Database.db.example.com`: the kind, its group, and the regular plural in lower case. Throws a Mistake for anything else. */
export function parsedKind(text) {
  const [kind = "", ...labels] = text.trim().slice(0, 300).split(".");
  if (!kindPattern.test(kind)) throw new Mistake(`${JSON.stringify(kind)} is not a kind: letters and digits, the first one upper-case`);
  if (labels.length < 2 || labels.length > 8 || !labels.every((label) => labelPattern.test(label))) {
    throw new Mistake(`${JSON.stringify(labels.join("."))} is not a group: a DNS name with a dot, such as example.com`);
  }
  const group = labels.join(".");
  if (group === "k8s.io" || group.endsWith(".k8s.io") || group.endsWith(".kubernetes.io")) {
    throw new Mistake(`the group ${group} belongs to Kubernetes: take a domain of your own`);
  }
  return { kind, group, plural: pluralOf(kind.toLowerCase()) };
}

/** The regular plural, as Thole's own. */
function pluralOf(singular) {
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

/** The words of the command line. Throws a Mistake for an unknown one. */
export function parsedArguments(words) {
  const given = { folder: undefined, kind: undefined, help: false };
  for (const word of words) {
    if (word === "--help" || word === "-h") given.help = true;
    else if (word.startsWith("--kind=")) given.kind = parsedKind(word.slice("--kind=".length));
    else if (word.startsWith("-")) {
      throw new Mistake(`unknown flag ${JSON.stringify(word)}: the only flag is --kind=KIND.GROUP`);
    } else if (given.folder !== undefined) throw new Mistake(`one folder only: ${JSON.stringify(given.folder)} or ${JSON.stringify(word)}`);
    else given.folder = word;
  }
  return given;
}

/** What to say about a Node, such as 20.19.0, that cannot run the tests of the plugin; undefined about a newer one. */
export function nodeNote(version) {
  return Number(version.split(".")[0]) >= 24
    ? undefined
    : `The tests and the server of the plugin need Node 24 or newer; this is ${version}.`;
}
