/** Bounds that several files of this folder keep. */
import { bound } from "../bound.ts";

/** Validation errors of one list or map. The rest of the list is not checked. */
export const fieldErrorsOfListMax = bound(1024 * 1024 / 32);
