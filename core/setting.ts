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

/** The current value of a setting. Throws an Error for a setting that the server does not have, or that is of another kind. */
export type SettingOf = <K extends SettingKind>(setting: SettingKey<K>) => SettingValues[K];
