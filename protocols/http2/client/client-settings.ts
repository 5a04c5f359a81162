/** The settings of this client: no dynamic header table, no push, and the window of a stream. */
import type { Buffer } from "node:buffer";
import { setting, settingsPayload } from "../settings.ts";
import { bound } from "../../../core/bound.ts";

/** Receive window of one stream of the HTTP/2 client, in bytes. */
export const etcdStreamWindowBytes = bound(8 * 1024 * 1024);

export function ourSettings(): Buffer {
  return settingsPayload([
    [setting.headerTableSize, 0],
    [setting.enablePush, 0],
    [setting.initialWindowSize, etcdStreamWindowBytes],
  ]);
}
