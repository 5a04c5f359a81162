/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Logged length of a client's Audit-ID (upstream's bound), and maximum length of an accepted one. */
export const auditIdLoggedMax = bound(64);
