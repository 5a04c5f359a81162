/** Names of signers of certificates, of trust bundles, and what requests for certificates of pods may say. */
import { type FieldError, invalid, required, tooLong } from "../../plugin.ts";
import { dns1123Label, dns1123Subdomain, type Names, qualifiedName, spell, utf8Length, valueText } from "../../toolbox.ts";
import { annotationsBytesMax } from "../../core/meta/labels.ts";

/** Why a name is not one of a trust bundle. Bundles of a signer have its name as prefix, with a colon instead of the slash. */
export function trustBundleName(name: string, signerName: string): readonly string[] {
  if (signerName !== "") {
    const prefix = `${signerName.replaceAll("/", ":")}:`;
    if (!name.startsWith(prefix)) return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
    return dns1123Subdomain(name.slice(prefix.length));
  }
  if (name.includes(":")) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
  return dns1123Subdomain(name);
}

const domainMax = 253, pathMax = domainMax + 63 + 1;

/** Checks a signer name: a domain of at least two labels, a slash and a path. Only the first invalid label of each is reported. */
export function validateSignerName(name: string, path: string): readonly FieldError[] {
  if (name === "") return [required(path, "")];
  const [domain, rest, ...more] = name.split("/");
  if (domain === undefined || rest === undefined || more.length > 0) {
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  }
  const labels = domain.split(".");
  return [
    ...(utf8Length(domain) > domainMax ? [tooLong(path, domainMax)] : []),
    ...firstWrong(domain, dns1123Label, path),
    ...(labels.length < 2 ? [invalid(path, domain, "should be a domain with at least two segments separated by dots")] : []),
    ...firstWrong(rest, dns1123Subdomain, path),
    ...(utf8Length(name) > domainMax + 1 + pathMax ? [tooLong(path, domainMax + 1 + pathMax)] : []),
  ];
}
function firstWrong(text: string, rule: (label: string) => readonly string[], path: string): readonly FieldError[] {
  const label = text.split(".").find((each) => rule(each).length > 0);
  return label === undefined ? [] : rule(label).map((wrong) => invalid(path, text, `validating label ${valueText(label)}: ${wrong}`));
}

/** Seconds for which a certificate of a pod is valid at least. */
export const certificateSecondsMin = 3600;
const secondsMax = 7_862_400, platformSecondsMax = 86_400;

/** Seconds for which a certificate of a pod is valid at most. Signers of the platform have a shorter maximum. */
export function certificateSecondsMax(signerName: string, names: Names): number {
  const host = signerName.split("/", 1)[0]!; // `!`: split returns at least one part
  const own = spell(names, "{platform}.io");
  return host === own || host.endsWith(`.${own}`) ? platformSecondsMax : secondsMax;
}

/** Checks the annotations that a pod sends to its signer: each key begins with a domain, and keys and values together have a bound. */
export function validateUserAnnotations(annotations: Readonly<Record<string, string>>, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += utf8Length(key) + utf8Length(value);
    const lowerKey = key.toLowerCase(), wrong = qualifiedName(lowerKey);
    for (const each of wrong) errors.push(invalid(path, lowerKey, each));
    if (wrong.length === 0 && !key.includes("/")) {
      errors.push(invalid(path, lowerKey, 'must be a domain-prefixed key (such as "acme.io/foo")'));
    }
  }
  return bytes > annotationsBytesMax ? [...errors, tooLong(path, annotationsBytesMax)] : errors;
}
