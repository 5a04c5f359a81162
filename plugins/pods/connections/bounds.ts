import { bound } from "../../../core/bound.ts";

/** Bytes of the error of a kubelet that a client gets (upstream's bound). */
export const logErrorBytesMax = bound(50_000);
