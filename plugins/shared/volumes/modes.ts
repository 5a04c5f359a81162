/** Enums and defaults that several volume types share (core/v1). */
import { oneOf } from "../../../plugin.ts";
import { amountOf, named, type Quantity, quantityText, roundUp } from "../../../toolbox.ts";

export const accessModes = Object.freeze(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"] as const);
/** The access mode of a volume. ReadWriteOncePod excludes the others. */
export const AccessMode = named("v1.PersistentVolumeAccessMode", oneOf(...accessModes));
export const volumeModes = Object.freeze(["Block", "Filesystem"] as const);
/** The volume mode: a file system or a raw block device. */
export const VolumeMode = named("v1.PersistentVolumeMode", oneOf(...volumeModes));

/** Default permission bits of files in volumes. */
const fileModeDefault = 0o644;

export function withFileMode<T extends { readonly defaultMode?: number | null }>(self: T): T {
  return (self.defaultMode ?? null) === null ? { ...self, defaultMode: fileModeDefault } : self;
}

type Amounts = Readonly<Record<string, Quantity>>;

/** Makes a defaulting function that rounds the quantities under these keys up to thousandths, as upstream does on decoding. */
export function roundToMillis(...keys: readonly string[]): <T extends object>(self: T) => T {
  return <T extends object>(self: T): T => {
    // `as`: the function gets a decoded struct, with quantities or nothing under these keys.
    const amounts = self as Readonly<Record<string, Amounts | undefined>>;
    const rounded = keys.flatMap((key) => {
      const next = amounts[key] === undefined ? undefined : roundAmounts(amounts[key]);
      return next === amounts[key] ? [] : [[key, next] as const];
    });
    return rounded.length === 0 ? self : { ...self, ...Object.fromEntries(rounded) };
  };
}

function roundAmounts(amounts: Amounts): Amounts {
  const rounded = Object.entries(amounts).map(([name, text]) => {
    const amount = amountOf(text), next = roundUp(amount, -3);
    return [name, text, next === amount ? text : quantityText(next)] as const; // the spelling stays, as upstream's
  });
  return rounded.every(([, text, next]) => text === next) ? amounts : Object.fromEntries(rounded.map(([name, , next]) => [name, next]));
}

/** Applies the default of `volumeMode`. */
export function withVolumeMode<T extends { readonly volumeMode?: string | null }>(self: T): T {
  return (self.volumeMode ?? null) === null ? { ...self, volumeMode: "Filesystem" } : self;
}
