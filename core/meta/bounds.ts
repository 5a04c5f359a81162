/** Bounds that several files of this folder keep. */
import { bound } from "../bound.ts";

/** Maximum number of validation errors of one list or map. The rest of it is not checked. */
export const fieldErrorsOfListMax = bound(1024 * 1024 / 32);
