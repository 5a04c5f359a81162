/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Milliseconds for one request to a webhook that states no other time (kube-apiserver's value). */
export const remoteCallMs = bound(30_000);
