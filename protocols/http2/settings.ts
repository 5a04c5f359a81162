/** The connection preface and settings (RFC 9113, sections 3.4 and 6.5). */
import { Buffer } from "node:buffer";

/** Identifiers of settings. */
export const setting = Object.freeze({
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
});

/** Initial window of a stream and of the connection, in bytes, before any setting (RFC 9113, section 6.9.2). */
export const firstWindowBytes = 65_535;

/** Initial size of the table of headers in bytes, before any setting (RFC 9113, section 6.5.2). */
export const firstTableBytes = 4096;

/** The client's connection preface. */
export const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** Returns the payload of a SETTINGS frame. */
export function settingsPayload(settings: readonly (readonly [which: number, value: number])[]): Buffer {
  const bytes = Buffer.alloc(settings.length * 6);
  settings.forEach(([which, value], at) => bytes.writeUInt32BE(value, bytes.writeUInt16BE(which, at * 6)));
  return bytes;
}
