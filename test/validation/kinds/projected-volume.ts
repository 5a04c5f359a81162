/** Rules of volumes whose files come from several sources, in the order of the reference. */
import { type Case, type Change, type Reason, type Rule, rule } from "../rule.ts";
import type { Place } from "./volume-sources.ts";

const both = "create+update";
/** Invalid paths of files in every source, and a valid one. */
const badPaths = ["/a", "a/../b", "..a"];
const goodPath = "a/b";

const token = { path: "token" };
const bundle = { name: "a", path: "bundle" };
const certificate = { signerName: "example.com/a", keyType: "ED25519", keyPath: "key" };
const secondsMax = 2 ** 32;

export function projectedRules(place: Place): readonly Rule[] {
  const of = (at: string, reason: Reason, broken: readonly Change[], held: readonly Change[]): Case => ({
    at: `${place.path}projected${at}`,
    reason,
    broken: place.with({ projected: { sources: broken } }),
    held: place.with({ projected: { sources: held } }),
  });
  /** A source that differs from a valid one. */
  const inSource = (key: string, valid: Change) => (at: string, reason: Reason, broken: Change, held: Change = {}): Case =>
    of(`.sources[0].${key}${at}`, reason, [{ [key]: { ...valid, ...broken } }], [{ [key]: { ...valid, ...held } }]);
  const inBundle = inSource("clusterTrustBundle", bundle), inCertificate = inSource("podCertificate", certificate);
  const inToken = inSource("serviceAccountToken", token);
  const file = (path: string): Change => ({ name: "a", items: [{ key: "a", path }] });
  const tokenPath = (path: string): readonly Change[] => [{ serviceAccountToken: { path } }];

  return [
    rule(["projected.defaultMode", both, "Invalid", "fileMode"], {
      at: `${place.path}projected.defaultMode`,
      reason: "Invalid",
      broken: place.with({ projected: { defaultMode: 512 } }),
      held: place.with({ projected: { defaultMode: 511 } }),
    }),
    rule(
      ["projected.sources[i]", both, "Forbidden", "at most one kind per entry (zero is allowed)"],
      of(".sources[0]", "Forbidden", [{ secret: { name: "a" }, configMap: { name: "a" } }], [{}]),
    ),
    ...["secret", "configMap"].map((key) =>
      rule(
        [`projected.sources[i].${key}.name`, both, "Required", "non-empty"],
        inSource(key, { name: "a" })(".name", "Required", { name: "" }),
      )
    ),
    rule(
      [
        "projected",
        both,
        "Invalid (conflicting duplicate paths)",
        "duplicate target paths across sources (not checked for serviceAccountToken)",
      ],
      of("", "Invalid", [{ secret: file("a") }, { configMap: file("a") }], [{ secret: file("a") }, { configMap: file("b") }]),
      of("", "Invalid", [{ secret: file("a") }, { secret: file("a") }], [...tokenPath("a"), ...tokenPath("a")]),
    ),
    rule(
      ["projected.sources[i].serviceAccountToken.expirationSeconds", both, "Invalid", "600..4294967296"],
      ...([[599, 600], [secondsMax + 1, secondsMax]] as const).map(([wrong, right]) =>
        inToken(".expirationSeconds", "Invalid", { expirationSeconds: wrong }, { expirationSeconds: right })
      ),
    ),
    rule(
      ["projected.path", both, "Required", "serviceAccountToken.path non-empty (path quirk: reported on projected.path)"],
      of(".path", "Required", tokenPath(""), tokenPath("a")),
    ),
    rule(
      ["projected.path", both, "Invalid", "serviceAccountToken.path relative, no .."],
      ...badPaths.map((path) => of(".path", "Invalid", tokenPath(path), tokenPath(goodPath))),
    ),
    rule(
      ["projected.sources[i].clusterTrustBundle", both, "Required / Invalid", "exactly one of name, signerName"],
      inBundle("", "Required", { name: null }, { name: null, signerName: "example.com/a" }),
      inBundle("", "Invalid", { signerName: "example.com/a" }),
    ),
    rule(
      ["projected.sources[i].clusterTrustBundle.labelSelector", both, "Invalid", "only with signerName"],
      inBundle(".labelSelector", "Invalid", { labelSelector: {} }, { name: null, signerName: "example.com/a", labelSelector: {} }),
    ),
    rule(
      ["projected.sources[i].clusterTrustBundle.path", both, "Required / Invalid", "non-empty, relative, no .."],
      inBundle(".path", "Required", { path: "" }),
      ...badPaths.map((path) => inBundle(".path", "Invalid", { path }, { path: goodPath })),
    ),
    ...certificateRules(inCertificate),
  ];
}

type InSource = (at: string, reason: Reason, broken: Change, held?: Change) => Case;

function certificateRules(inCertificate: InSource): readonly Rule[] {
  const field = "projected.sources[i].podCertificate";
  const annotations = (userAnnotations: Change): Change => ({ userAnnotations });
  return [
    rule(
      [`${field}.signerName`, both, "Required / Invalid", "signer name"],
      inCertificate(".signerName", "Required", { signerName: "" }),
      ...["plain", "com/a", "example.com/a/b"].map((signerName) => inCertificate(".signerName", "Invalid", { signerName })),
    ),
    rule(
      [`${field}.keyType`, both, "NotSupported", "RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521, ED25519"],
      inCertificate(".keyType", "NotSupported", { keyType: "RSA1024" }, { keyType: "RSA3072" }),
    ),
    rule(
      [`${field}.maxExpirationSeconds`, both, "Invalid", "3600..7862400 (kubernetes.io signers 86400)"],
      ...([[3599, 3600], [7_862_401, 7_862_400]] as const).map(([wrong, right]) =>
        inCertificate(".maxExpirationSeconds", "Invalid", { maxExpirationSeconds: wrong }, { maxExpirationSeconds: right })
      ),
      inCertificate(
        ".maxExpirationSeconds",
        "Invalid",
        { signerName: "kubernetes.io/a", maxExpirationSeconds: 86_401 },
        { signerName: "kubernetes.io/a", maxExpirationSeconds: 86_400 },
      ),
    ),
    rule(
      [field, both, "Required", "one of credentialBundlePath, keyPath, certificateChainPath"],
      inCertificate("", "Required", { keyPath: null }, { keyPath: null, certificateChainPath: "a" }),
    ),
    rule(
      [`${field}.userAnnotations`, both, "Invalid / TooLong", "domain-prefixed keys; total <= 262144"],
      inCertificate(".userAnnotations", "Invalid", annotations({ a: "" }), annotations({ "example.com/a": "" })),
      inCertificate(
        ".userAnnotations",
        "TooLong",
        annotations({ "example.com/a": "x".repeat(262_132) }),
        annotations({ "example.com/a": "x".repeat(262_131) }),
      ),
    ),
  ];
}
