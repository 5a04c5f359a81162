/** Field ownership and server-side apply for plain values and their schemas. */
export { type Atom, atomOf } from "./atom.ts";
export { atomicPaths, foreignProblem } from "./configuration.ts";
export * from "./field-set.ts";
export {
  type Applied,
  applyConfig as applied,
  changesOf,
  checkConvertible,
  type Conflict,
  conflictTexts,
  NotConvertible,
  ownersAfterUpdate,
  setOfFields,
  type Versions,
  type Writer,
} from "./managers.ts";
export { merge } from "./merge.ts";
export { capOwners as capped, noOwners, type Owner, type Owners, ownersProblem, readOwners, writeOwners } from "./owners.ts";
export { compare, fieldSetOf, hasAllKeys, isSame, isTyped, problemsText, typeProblems } from "./typed.ts";
