/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Characters of a client's Audit-ID that are logged (kube-apiserver's bound). */
export const auditIdLoggedMax = bound(64);
