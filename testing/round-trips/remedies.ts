/** What the author of a plugin changes for each kind of finding: one sentence each. */

/** The remedy for a loss in an encoding. */
export function encodingRemedy(encoding: string): string {
  return encoding === "protobuf"
    ? "give the field a protobuf number above 0, and the option `pointer` if its zero value differs from an absent one"
    : "let `applyDefaults` of the schema return an object that has its defaults as it is";
}

/** The remedy for a loss between a version and the stored form. */
export function storageRemedy(version: string, isStored: boolean): string {
  return isStored
    ? `let \`applyDefaults\` of ${version} return an object that has its defaults as it is`
    : `let \`fromStored\` of ${version} return what its \`toStored\` got: it undoes each change of the other`;
}

/** The remedy for a loss between two versions: in the version through which an object is read and written. */
export function versionRemedy(version: string, isStored: boolean): string {
  return isStored
    ? `add the fields to the schema of ${version}, which is stored: what it lacks cannot be kept`
    : `add the fields to the schema of ${version}, or keep them in an annotation with \`keptFields\` in its \`toStored\` and \`fromStored\``;
}

/** The remedy for a conversion that throws. */
export const failureRemedy = "let `toStored`, `fromStored` and `applyDefaults` accept objects in which every optional field is absent";

/** The remedy for a loss through requests. The conversions alone lose nothing: they have been checked before. */
export const hookRemedy =
  "let `prepare`, `dropDisabled` and admission steps return an object that nobody changed as it is, whichever version the request has";

/** The remedy for a request that the server refuses although the object is its own. */
export function refusalRemedy(version: string): string {
  return `let the rules of \`update\` and the conversions of ${version} accept every object that \`create\` accepts, or leave such objects out with \`adjust\``;
}

/** The remedy for a field whose manager changes with the version. */
export const ownerRemedy =
  "keep the labels of an object in `toStored` and `fromStored`: ownership of fields follows their paths in each version";
