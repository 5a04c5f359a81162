/** Conversions of objects from one version to the next. */
import type { GroupVersion } from "../../../core/versions.ts";
import type { Fields } from "../fields.ts";

/** One step: from the version that the object has, to the next one, which the caller writes into `apiVersion` afterwards. */
export interface Step {
  readonly from: GroupVersion;
  readonly to: GroupVersion;
}

/** Changes the fields of an object so that it means the same in the next version, and reports what it cannot decide. */
export type Rule = (object: Fields, step: Step) => void;
