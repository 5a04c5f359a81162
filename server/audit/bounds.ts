/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/**
 * JSON of the audit events that wait in a buffer or are being delivered, beside the bound on their number, in bytes. Further events are lost
 * and counted.
 */
export const auditBufferBytesMax = bound(64 * 1024 * 1024);
