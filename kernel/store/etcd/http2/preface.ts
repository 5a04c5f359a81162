/** The connection preface and the initial settings (RFC 9113, sections 3.4 and 6.5). */
import { limits } from "../../../../core/limits.ts";
import { Buffer } from "node:buffer";

/** Identifiers of the settings that are used here. */
export const setting = Object.freeze({ headerTableSize: 1, enablePush: 2, maxConcurrentStreams: 3, initialWindowSize: 4 });

/** Initial window of a stream and of the connection, in bytes, before any setting (RFC 9113, section 6.9.2). */
export const firstWindowBytes = 65_535;

/** The client's connection preface. */
export const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** The settings of this client: no dynamic header table, no push, and the window of a stream. */
export function ourSettings(): Buffer {
  const settings = [[setting.headerTableSize, 0], [setting.enablePush, 0], [
    setting.initialWindowSize,
    limits.etcdStreamWindowBytes,
  ]] as const;
  const bytes = Buffer.alloc(settings.length * 6);
  settings.forEach(([which, value], at) => bytes.writeUInt32BE(value, bytes.writeUInt16BE(which, at * 6)));
  return bytes;
}
