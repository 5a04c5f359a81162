/** Words and defaults that several volume types share (core/v1). */
import { amountOf, quantityText, roundUp } from "../../../core/scalars/quantity.ts";
import { named, oneOf, type Quantity } from "../../../core/schema.ts";

export const accessModes = Object.freeze(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"] as const);
/** How a volume can be mounted. ReadWriteOncePod stands alone. */
export const AccessMode = named("v1.PersistentVolumeAccessMode", oneOf(...accessModes));
export const volumeModes = Object.freeze(["Block", "Filesystem"] as const);
/** A file system or a raw block device. */
export const VolumeMode = named("v1.PersistentVolumeMode", oneOf(...volumeModes));

/** Permission bits of files in volumes, 0644, where nobody says otherwise. */
const fileModeDefault = 0o644;

export function withFileMode<T extends { readonly defaultMode?: number | null }>(self: T): T {
  return (self.defaultMode ?? null) === null ? { ...self, defaultMode: fileModeDefault } : self;
}

type Amounts = Readonly<Record<string, Quantity>>;

/** A `fill` that rounds the amounts under these keys up to thousandths, as finer ones are not kept. */
export function inMillis(...keys: readonly string[]): <T extends object>(self: T) => T {
  return <T extends object>(self: T): T => {
    // A fill sees the decoded struct: under these keys are amounts or nothing.
    const amounts = self as Readonly<Record<string, Amounts | undefined>>;
    const rounded = keys.flatMap((key) => {
      const next = amounts[key] === undefined ? undefined : rounding(amounts[key]);
      return next === amounts[key] ? [] : [[key, next] as const];
    });
    return rounded.length === 0 ? self : { ...self, ...Object.fromEntries(rounded) };
  };
}

function rounding(amounts: Amounts): Amounts {
  const rounded = Object.entries(amounts).map(([name, text]) => [name, text, quantityText(roundUp(amountOf(text), -3))] as const);
  return rounded.every(([, text, next]) => text === next) ? amounts : Object.fromEntries(rounded.map(([name, , next]) => [name, next]));
}

/** A claim asks for a file system unless it says otherwise. */
export function withVolumeMode<T extends { readonly volumeMode?: string | null }>(self: T): T {
  return (self.volumeMode ?? null) === null ? { ...self, volumeMode: "Filesystem" } : self;
}
