/** The kinds of settings, and constructors of the table's rows. */
import type { Release } from "../../core/releases.ts";
import type { Stage } from "../../core/versions.ts";

export type Kind = "string" | "bool" | "int" | "count" | "fraction" | "duration" | "list" | "map" | "texts";
export interface Setting<K extends Kind, D> {
  readonly kind: K;
  readonly default: D;
  /** Effect, unit and meaning of 0; a placeholder of a value is in angle brackets. */
  readonly help: string;
}
/** Whether a change in the configuration file takes effect while the server runs. `fixed`: why it is rejected; undefined: it takes effect. */
export interface Change {
  readonly fixed: string | undefined;
}
/** Deprecation of a flag: the releases, the replacement, and the stage of its feature if it is not GA. */
export interface Going {
  readonly deprecated?: { readonly since: Release; readonly removed: Release; readonly use: string; readonly stage?: Stage };
}
/** What the row of a plugin's setting has beside. */
export interface Declared {
  /** The name of the plugin. */
  readonly plugin?: string;
  readonly isSecret?: true;
  /** Returns what is wrong with a value of the row's kind. */
  readonly check?: (value: any) => string | undefined;
}
/** A row of the table. */
export type AnySetting = Setting<Kind, unknown> & Change & Going & Declared;

export const text = (fallback: string, help: string): Setting<"string", string> => ({ kind: "string", default: fallback, help });
export const bool = (fallback: boolean, help: string): Setting<"bool", boolean> => ({ kind: "bool", default: fallback, help });
export const int = (fallback: number, help: string): Setting<"int", number> => ({ kind: "int", default: fallback, help });
/** A number from 1, or `auto`: as many as fit the machine. */
export const count = (fallback: number, help: string): Setting<"count", Count> => ({ kind: "count", default: fallback, help });
export type Count = number | "auto";
export const fraction = (fallback: number, help: string): Setting<"fraction", number> => ({ kind: "fraction", default: fallback, help });
/** A value in milliseconds; written as `1m30s`. */
export const duration = (fallback: number, help: string): Setting<"duration", number> => ({ kind: "duration", default: fallback, help });
export const list = (help: string): Setting<"list", readonly string[]> => ({ kind: "list", default: [], help });
/** Texts by key: `key=text`, can be repeated. In a comma-separated value, a text that contains commas is in double quotes. */
export const texts = (help: string): Setting<"texts", ReadonlyMap<string, string>> => ({ kind: "texts", default: new Map(), help });
export const map = (help: string): Setting<"map", ReadonlyMap<string, boolean>> => ({ kind: "map", default: new Map(), help });

/** A change in the file takes effect while the server runs. */
export const live = <S extends Setting<Kind, unknown>>(setting: S): S & Change => ({ ...setting, fixed: undefined });
/** A change needs a restart, because of `reason`. */
export const fixed = <S extends Setting<Kind, unknown>>(reason: string, setting: S): S & Change => ({ ...setting, fixed: reason });
