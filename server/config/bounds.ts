/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Bytes of the configuration file. */
export const configurationFileBytesMax = bound(1024 * 1024);
/** Upper factor on the pause between two attempts for the leader lease; each attempt takes a random factor between 1 and this. */
export const electionRetryJitter = bound(1.2);
