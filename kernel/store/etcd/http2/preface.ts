/** What both ends say before all else (RFC 9113, 3.4 and 6.5). */
import { Buffer } from "node:buffer";

/** The numbers of the settings that mean something here. */
export const setting = Object.freeze({ headerTableSize: 1, enablePush: 2, maxConcurrentStreams: 3, initialWindowSize: 4 });

/** What each end takes of a stream, and of the connection, while nobody has said otherwise. */
export const firstWindowBytes = 65_535;
/** What we take: bytes that may be on their way to us unread, of one stream and of the connection. */
export const streamWindowBytes = 8 * 1024 * 1024;
export const connectionWindowBytes = 32 * 1024 * 1024;

/** The first bytes of a client. */
export const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** What we say: no table of headers, no push, and what we take of a stream. */
export function ourSettings(): Buffer {
  const settings = [[setting.headerTableSize, 0], [setting.enablePush, 0], [setting.initialWindowSize, streamWindowBytes]] as const;
  const bytes = Buffer.alloc(settings.length * 6);
  settings.forEach(([which, value], at) => bytes.writeUInt32BE(value, bytes.writeUInt16BE(which, at * 6)));
  return bytes;
}
