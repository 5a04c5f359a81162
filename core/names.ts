/**
 * The two configurable words of every group name, media type, label, annotation, finalizer and key prefix. Definitions write them as
 * `{domain}` and `{platform}`.
 */
export interface Names {
  /** Group domain, `k8s.io` by default: `storage.{domain}` is `storage.k8s.io`. */
  readonly domain: string;
  /** Platform name, `kubernetes` by default: `{platform}.io/metadata.name`, `application/vnd.{platform}.protobuf`. */
  readonly platform: string;
}

/** The names without --group-domain and --platform-name: `k8s.io` and `kubernetes`. */
export const defaultNames: Names = Object.freeze({ domain: "k8s.io", platform: "kubernetes" });

/** Returns the issuer of service account tokens if --service-account-issuer is not set. */
export function defaultIssuer({ platform }: Pick<Names, "platform">): string {
  return `https://${platform}.default.svc`;
}

const domainWord = "{domain}", platformWord = "{platform}";

/** Returns `text` with `{domain}` and `{platform}` replaced. */
export function spell(names: Names, text: string): string {
  // One pass and no patterns: a write spells some twenty names.
  let spelled = "", from = 0;
  for (let at = text.indexOf("{"); at >= 0; at = text.indexOf("{", at + 1)) {
    const word = text.startsWith(domainWord, at) ? domainWord : text.startsWith(platformWord, at) ? platformWord : undefined;
    if (word === undefined) continue;
    spelled += text.slice(from, at) + (word === domainWord ? names.domain : names.platform);
    from = at + word.length;
  }
  return from === 0 ? text : spelled + text.slice(from);
}
