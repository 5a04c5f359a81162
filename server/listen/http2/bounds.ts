/** Bounds that several files of this folder keep. */
import { bound } from "../../../core/bound.ts";

/** Bytes of the head of an HTTP/2 request that count as a request of their own in a turn: large heads take longer. */
export const headBytesPerTurnRequest = bound(1024);
/** Receive window of an HTTP/2 connection in bytes. It bounds what a client sends before its requests are read. */
export const http2ConnectionWindowBytes = bound(1024 * 1024);
/** Bytes of the dynamic table of a client's headers (the default of HTTP/2). */
export const http2HeaderTableBytes = bound(4096);
/** Frames of one block of headers. */
export const http2HeaderFramesMax = bound(128);
/** Bytes of other frames that are neither heads nor bodies, such as SETTINGS, that count as a frame of their own in a turn. */
export const frameBytesPerTurnFrame = bound(256);
/** Bytes that an HTTP/2 client has not read, whichever frames they are in, above which nothing more of its connection is read. */
export const http2UnreadBytesMax = bound(256 * 1024);
/** Milliseconds between the two GOAWAY frames of a connection if the client does not answer the PING between them (as Go's server). */
export const http2GoAwayMs = bound(1_000);
