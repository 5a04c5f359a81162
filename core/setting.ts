/** Settings of the server by name and kind, as hooks, controllers and parts of plugins read them. */

/** The type of a setting's value by its kind. Durations are milliseconds. */
export interface SettingValues {
  /** A text; "" if it is not set. */
  readonly string: string;
  /** A switch. */
  readonly bool: boolean;
  /** A whole number from 0. */
  readonly int: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Texts in order. */
  readonly list: readonly string[];
  /** Texts by key. */
  readonly texts: ReadonlyMap<string, string>;
}
/** The kinds of settings. */
export type SettingKind = keyof SettingValues;

/** A setting by name and kind: a flag of the server, or one that the plugin declares. */
export interface SettingKey<K extends SettingKind = SettingKind> {
  /** The name of the flag without dashes, such as `token-auth-file`. */
  readonly name: string;
  /** The kind of its value. */
  readonly kind: K;
}

/**
 * A setting that a plugin declares: a flag, and a key of the configuration file. While the plugin is chosen, its settings are read, checked and reloaded like the
 * server's, and `--help` lists them. `defineSetting` makes one, and `setting` of a context reads it.
 */
export interface PluginSetting<K extends SettingKind = SettingKind> extends SettingKey<K> {
  /** The value without a flag. Durations are milliseconds. */
  readonly default: SettingValues[K];
  /** The help: sentences about effect, unit and the meaning of 0 or "". */
  readonly help: string;
  /**
   * Why a change in the configuration file needs a restart, such as `the file is read once, at start`. Default: a change is active at once,
   * for parts that read the setting each time they need it.
   */
  readonly fixed?: string;
  /** Whether the value is a secret, which the server does not show. Prefer a setting that names a file: others can see command lines. */
  readonly isSecret?: K extends "string" ? true : never;
  /** Returns what is wrong with a value, as the end of a sentence, such as `"x" is not a colour`. It must be pure. Default: every value of the kind is valid. */
  check?(value: SettingValues[K]): string | undefined;
}

/** The current value of a setting. Throws an Error for a setting that the server does not have, or that is of another kind. */
export type SettingOf = <K extends SettingKind>(setting: SettingKey<K>) => SettingValues[K];
