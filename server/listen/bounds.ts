/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Default of concurrent requests of one HTTP/2 connection (Go's default). */
export const streamsPerConnectionMax = bound(250);
/** Requests of one HTTP/2 connection that start in one turn of the event loop. */
export const requestsPerTurnMax = bound(32);
/** HTTP/2 frames of one connection that one turn of the event loop reads. */
export const framesPerTurnMax = bound(64);
/** Requests that an HTTP/2 client may reset before their responses, in excess of completed ones (Go: four times the concurrent streams). */
export const earlyResetsMax = bound(500);
/** Bytes of a body that are read after the response, before the connection is closed. */
export const discardBytesMax = bound(16 * 1024 * 1024);
/** Milliseconds that an HTTP/1.1 connection stays open after its last response while the client may still send (as Go's server). */
export const lingerMs = bound(500);
/** Milliseconds without reads of a client after which its pending response is aborted. */
export const stalledMs = bound(60_000);
