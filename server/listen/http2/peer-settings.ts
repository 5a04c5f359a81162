import { ConnectionError, errorCode, frameBytesMax, streamIdMax } from "../../../protocols/http2/frames.ts";
import { setting } from "../../../protocols/http2/settings.ts";

const entryBytes = 6;
const frameSizeMax = 0xffffff;

export interface PeerSettings {
  readonly initialWindowSize: number | undefined;
  /** The smallest one in the frame, in bytes; Infinity if there is none (RFC 7541, section 4.2). */
  readonly headerTableSize: number;
}

/**
 * The settings of a client that the server uses (RFC 9113, section 6.5.2). Only the last initial window has an effect: applying each of
 * thousands to all streams would take long. Throws if a value is not allowed.
 */
export function settingsOf(payload: Buffer): PeerSettings {
  if (payload.length % entryBytes !== 0) throw new ConnectionError(errorCode.frameSize, "A SETTINGS frame has an incomplete setting");
  let initialWindowSize: number | undefined, headerTableSize = Infinity;
  for (let at = 0; at < payload.length; at += entryBytes) {
    const which = payload.readUInt16BE(at), value = payload.readUInt32BE(at + 2);
    if (which === setting.enablePush && value > 1) throw new ConnectionError(errorCode.protocol, "ENABLE_PUSH is neither 0 nor 1");
    if (which === setting.maxFrameSize && (value < frameBytesMax || value > frameSizeMax)) {
      throw new ConnectionError(errorCode.protocol, "MAX_FRAME_SIZE is out of range");
    }
    if (which === setting.headerTableSize) headerTableSize = Math.min(headerTableSize, value);
    if (which !== setting.initialWindowSize) continue;
    if (value > streamIdMax) throw new ConnectionError(errorCode.flowControl, "INITIAL_WINDOW_SIZE is out of range");
    initialWindowSize = value;
  }
  return { initialWindowSize, headerTableSize };
}
