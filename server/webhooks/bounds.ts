/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** UTF-8 bytes of the requests and answers of the calls of one admission webhook in flight. */
export const webhookBytesMax = bound(64 * 1024 * 1024);
