import { type Names, spell } from "../../toolbox.ts";

const finalizers: Readonly<Record<string, string>> = {
  PersistentVolume: "{platform}.io/pv-protection",
  PersistentVolumeClaim: "{platform}.io/pvc-protection",
  VolumeAttributesClass: "{platform}.io/vac-protection",
};

/** Returns the finalizer that protects objects of this kind while they are in use. Throws an Error for other kinds. */
export function protectionOf(kind: string, names: Names): string {
  const finalizer = finalizers[kind];
  if (finalizer === undefined) throw new Error(`Objects of the kind ${kind} are not protected`);
  return spell(names, finalizer);
}
