import type { SettingName } from "../config/settings.ts";

/** The check of the files that a setting names: rejects for a file that cannot be used. */
export type CheckedSetting = readonly [setting: SettingName, check: Promise<unknown>];
