/** The settings of this client: no dynamic header table, no push, and the window of a stream. */
import type { Buffer } from "node:buffer";
import { limits } from "../../../../core/limits.ts";
import { setting, settingsPayload } from "../../../http2/settings.ts";

export function ourSettings(): Buffer {
  return settingsPayload([
    [setting.headerTableSize, 0],
    [setting.enablePush, 0],
    [setting.initialWindowSize, limits.etcdStreamWindowBytes],
  ]);
}
