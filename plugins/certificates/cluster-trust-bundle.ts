import {
  type Admission,
  type Column,
  defineResource,
  field,
  type FieldError,
  type Infer,
  invalid,
  nameColumn,
  object,
  type Resource,
  string,
  structsOf,
  tooLong,
} from "../../plugin.ts";
import { type Names, sameValue, utf8Length, validateObjectMeta, validateObjectMetaUpdate, valueText } from "../../toolbox.ts";
import { bound } from "../../core/bound.ts";
import { parseCertificate } from "../../protocols/x509/parse-certificate.ts";
import { type PemBlock, pemBlocks } from "../../protocols/x509/pem.ts";
import { trustBundleName, validateSignerName } from "../shared/signers.ts";
import { maySign } from "./authorize.ts";

const storedAs = "certificates.{domain}/v1beta1", alphaVersion = "certificates.{domain}/v1alpha1";
const gate = "ClusterTrustBundle";
/** Bytes of the text of a bundle. */
export const trustBundleBytesMax = bound(1024 * 1024);

/** The kind in one version. */
function schemaOf(version: "v1alpha1" | "v1beta1") {
  const home = `certificates/${version}`, struct = structsOf(home);
  const spec = struct("ClusterTrustBundleSpec", {
    signerName: field(1, string, "The signer whose roots these are. Empty: the bundle is of no signer. Immutable."),
    trustBundle: field(2, string, "The certificates of authorities as PEM, without headers and each once. Their order has no meaning.", {
      written: "always",
    }),
  }, { doc: "The certificates, and their signer." });
  return object("ClusterTrustBundle", {
    spec: field(2, spec, "The certificates, and their signer.", { written: "always" }),
  }, { package: home, doc: "Root certificates that workloads trust." });
}
const beta = schemaOf("v1beta1"), alpha = schemaOf("v1alpha1");
export type ClusterTrustBundle = Infer<typeof beta>;

const columns: readonly Column<ClusterTrustBundle>[] = [
  nameColumn,
  { name: "SignerName", type: "string", description: "The signer whose roots these are.", cell: ({ spec }) => spec.signerName || "<none>" },
];

/** Why an entry of a bundle is not the certificate of an authority. */
function entryProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== "CERTIFICATE") return `has bad block type: ${type}`;
  if (hasHeaders) return "has PEM block headers";
  try {
    return parseCertificate(bytes).extensions.basicConstraints?.isCa === true ? undefined : "does not have the CA bit set";
  } catch {
    return "does not parse as X.509";
  }
}

/** Checks the text of a bundle. Its entries are counted from 0. */
export function validateTrustBundle(text: string): readonly FieldError[] {
  const path = "spec.trustBundle";
  if (utf8Length(text) > trustBundleBytesMax) return [tooLong(path, trustBundleBytesMax)];
  const wrong = (why: string) => invalid(path, "<value omitted>", why);
  const blocks = pemBlocks(text);
  const errors = blocks.flatMap((block, i) => {
    const problem = entryProblem(block);
    return problem === undefined ? [] : [wrong(`entry ${i} ${problem}`)];
  });
  if (errors.length > 0) return errors;
  if (blocks.length === 0) return [wrong("at least one trust anchor must be provided")];
  const places = new Map<string, number[]>();
  for (const [i, { bytes }] of blocks.entries()) {
    const key = Buffer.from(bytes).toString("latin1"), found = places.get(key);
    if (found === undefined) places.set(key, [i]);
    else found.push(i);
  }
  return [...places.values()].flatMap((each) => each.length > 1 ? [wrong(`duplicate trust anchor (indices [${each.join(" ")}])`)] : []);
}

function validateBundle(
  { metadata, spec: { signerName = "", trustBundle } }: ClusterTrustBundle,
  keepsText: boolean,
  names: Names,
): readonly FieldError[] {
  return [
    ...validateObjectMeta(metadata, {
      namespaced: false,
      nameRule: (name) => trustBundleName(name, signerName),
      coreFinalizers: true,
      names,
    }),
    ...(signerName === "" ? [] : validateSignerName(signerName, "spec.signerName")),
    ...(keepsText ? [] : validateTrustBundle(trustBundle)),
  ];
}

function keepsSigner(next: string, prior: string): readonly FieldError[] {
  return next === prior ? [] : [invalid("spec.signerName", next, "field is immutable")];
}
const selectableFields = { "spec.signerName": ({ spec }: ClusterTrustBundle) => spec.signerName ?? "" };

export const clusterTrustBundles: Resource<ClusterTrustBundle> = defineResource({
  kind: "ClusterTrustBundle",
  scope: "Cluster",
  summary: "Root certificates that workloads trust.",
  storedAs,
  storedUnder: "clustertrustbundles",
  served: {
    [storedAs]: { schema: beta, introduced: "1.33", gate, columns, selectableFields },
    [alphaVersion]: {
      schema: alpha,
      introduced: "1.26",
      deprecated: "1.34",
      removed: "1.37",
      gate,
      columns,
      selectableFields,
    },
  },
  strategy: { unconditionalUpdate: false, coreFinalizers: true, ownMetaRules: true },
  create: (next, { names }) => validateBundle(next, false, names),
  update: (next, prior, { names }) => [
    ...validateBundle(next, next.spec.trustBundle === prior.spec.trustBundle, names),
    ...validateObjectMetaUpdate(next.metadata, prior.metadata),
    ...keepsSigner(next.spec.signerName ?? "", prior.spec.signerName ?? ""),
  ],
});

/** Whether an update changes nothing but what the garbage collector writes. */
function isCollected(next: ClusterTrustBundle, prior: ClusterTrustBundle): boolean {
  const rest = ({ metadata, ...others }: ClusterTrustBundle) => {
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managers, ...meta } = metadata;
    return { ...others, metadata: meta };
  };
  return sameValue(rest(next), rest(prior));
}

export const clusterTrustBundleAttest: Admission<ClusterTrustBundle> = {
  name: "ClusterTrustBundleAttest",
  resources: [clusterTrustBundles],
  async refuse(next, prior, context) {
    const { signerName = "" } = next.spec;
    if (signerName === "" || (prior !== undefined && isCollected(next, prior))) return undefined;
    if (await maySign(context, "attest", signerName)) return undefined;
    return `user not permitted to attest for signerName ${valueText(signerName)}`;
  },
};
