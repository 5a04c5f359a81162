/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Nesting of one document of a file of manifests. */
export const manifestDepthMax = bound(200);
