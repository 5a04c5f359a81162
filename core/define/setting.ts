/** Checks of the settings that a plugin declares. */
import { dns1035Label } from "../meta/names.ts";
import type { PluginSetting, SettingKind } from "../setting.ts";

/** Whether a value is of a kind. */
const isOfKind: Readonly<Record<SettingKind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  bool: (value) => typeof value === "boolean",
  int: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  duration: (value) => Number.isFinite(value) && Number(value) >= 0,
  list: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  texts: (value) => value instanceof Map && [...value].flat().every((each) => typeof each === "string"),
};

/** Returns what is wrong with the definition of a setting. */
export function settingMistakes({ name, kind, default: value, help, fixed, isSecret, check }: PluginSetting): readonly string[] {
  if (!Object.hasOwn(isOfKind, kind)) return [`its kind must be one of ${Object.keys(isOfKind).join(", ")}`];
  if (!isOfKind[kind](value)) return [`its default is not of the kind ${kind}`];
  const wrong = check?.(value);
  return [
    ...(dns1035Label(name).length > 0 || name.length < 2
      ? ["its name must have at least two lower-case letters, digits and dashes, and begin with a letter"]
      : []),
    ...(help.trim().endsWith(".") ? [] : ["its help must end with a full stop"]),
    ...(fixed === undefined || fixed.trim() !== "" ? [] : ["the reason of fixed is empty"]),
    ...(isSecret === undefined || kind === "string" ? [] : ["only a string can be a secret"]),
    ...(wrong === undefined ? [] : [`its own check refuses the default: ${wrong}`]),
  ];
}
