import {
  ageColumn,
  type Column,
  defineResource,
  field,
  type FieldError,
  type Infer,
  invalid,
  nameColumn,
  object,
  required,
  type Resource,
  string,
  structsOf,
} from "../../plugin.ts";
import { configMapKey, microTime, named, Unreadable, validateObjectMetaUpdate } from "../../toolbox.ts";
import { compareSemver, parseSemver, type Semver } from "../../cel/functions/semver/parse.ts";
import { oldestVersion, validateStrategy } from "./strategy.ts";

const storedAs = "coordination.{domain}/v1beta1", alphaVersion = "coordination.{domain}/v1alpha2";

/** The kind in one version. */
function schemaOf(version: "v1alpha2" | "v1beta1") {
  const home = `coordination/${version}`, struct = structsOf(home);
  const spec = struct("LeaseCandidateSpec", {
    leaseName: field(1, string, "The name of the lease for which the candidate stands. Immutable.", { required: true }),
    pingTime: field(2, microTime, "When the candidate was last asked to renew. It answers by a later renewTime.", { pointer: true }),
    renewTime: field(3, microTime, "When the candidate was last renewed. A candidate that is not renewed is removed.", { pointer: true }),
    binaryVersion: field(4, string, "The semantic version of the candidate's binary, without a leading v.", { required: true }),
    emulationVersion: field(5, string, "The semantic version that the candidate emulates. At most binaryVersion."),
    strategy: field(
      6,
      named("v1.CoordinatedLeaseStrategy", string),
      "The strategy for picking the leader. If candidates differ, that of the highest binaryVersion counts.",
      { required: true, written: "omitEmpty" },
    ),
  }, { doc: "The lease of the candidate, and its versions." });
  return object("LeaseCandidate", {
    spec: field(2, spec, "The lease of the candidate, and its versions.", { required: true }),
  }, { package: home, doc: "A candidate for the holder of a lease." });
}
const beta = schemaOf("v1beta1"), alpha = schemaOf("v1alpha2");
export type LeaseCandidate = Infer<typeof beta>;
type Spec = LeaseCandidate["spec"];

const columns: readonly Column<LeaseCandidate>[] = [
  nameColumn,
  { name: "LeaseName", type: "string", description: "The lease for which the candidate stands.", cell: ({ spec }) => spec.leaseName },
  { name: "BinaryVersion", type: "string", description: "The version of the candidate's binary.", cell: ({ spec }) => spec.binaryVersion },
  {
    name: "EmulationVersion",
    type: "string",
    description: "The version that the candidate emulates.",
    cell: ({ spec }) => spec.emulationVersion ?? "",
  },
  ageColumn,
];

/** The version of an absent text is 0.0.0. */
const zero: Semver = { major: 0n, minor: 0n, patch: 0n, pre: [], build: [] };

/** Parses a version. A wrong one is an error, and counts as 0.0.0. */
function readVersion(text: string, path: string, errors: FieldError[]): Semver {
  if (text === "") return zero;
  const version = parseSemver(text);
  if (!(version instanceof Unreadable)) return version;
  errors.push(invalid(path, text, "must be a valid semantic version"));
  return zero;
}

function validateSpec({ leaseName, binaryVersion, emulationVersion = "", strategy = "" }: Spec): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (leaseName === "") errors.push(required("spec.leaseName", ""));
  const emulated = readVersion(emulationVersion, "spec.emulationVersion", errors);
  if (binaryVersion === "") errors.push(required("spec.binaryVersion", ""));
  const binary = readVersion(binaryVersion, "spec.binaryVersion", errors);
  if (binaryVersion !== "" && emulationVersion !== "" && compareSemver(binary, emulated) < 0) {
    errors.push(invalid("spec.binaryVersion", binaryVersion, "must be greater than or equal to `emulationVersion`"));
  }
  if (strategy === "") return [...errors, required("spec.strategy", "")];
  if (strategy === oldestVersion && compareSemver(emulated, zero) === 0) {
    errors.push(required("spec.emulationVersion", "must be specified when `strategy` is 'OldestEmulationVersion'"));
  }
  return [...errors, ...validateStrategy(strategy)];
}

function keepsLease(next: Spec, prior: Spec): readonly FieldError[] {
  return next.leaseName === prior.leaseName ? [] : [invalid("spec.leaseName", next.leaseName, "field is immutable")];
}

export const leaseCandidates: Resource<LeaseCandidate> = defineResource({
  kind: "LeaseCandidate",
  scope: "Namespaced",
  summary: "A candidate for the holder of a lease.",
  storedAs,
  storedUnder: "leasecandidates",
  served: {
    [storedAs]: { schema: beta, introduced: "1.33", deprecated: "1.36", removed: "1.39", columns },
    [alphaVersion]: { schema: alpha, introduced: "1.32", deprecated: "1.35", removed: "1.38", columns },
  },
  strategy: { createOnUpdate: true, unconditionalUpdate: false, nameRule: (name) => configMapKey(name) },
  create: ({ spec }) => validateSpec(spec),
  update: (next, prior) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata),
    ...validateSpec(next.spec),
    ...keepsLease(next.spec, prior.spec),
  ],
});
