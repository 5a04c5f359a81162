/** Table cells that volumes and claims share. */
import type { ApiObject } from "../../plugin.ts";
import { defaultNames, spell } from "../../toolbox.ts";

/** The short forms of access modes, in the order in which table cells show them. */
const shortModes = { ReadWriteOnce: "RWO", ReadOnlyMany: "ROX", ReadWriteMany: "RWX", ReadWriteOncePod: "RWOP" } as const;

export function accessModesCell(modes: readonly string[] = []): string {
  return Object.entries(shortModes).filter(([mode]) => modes.includes(mode)).map(([, short]) => short).join(",");
}

/** The deprecated annotation for the storage class. It is older than the field `storageClassName`. */
export const classAnnotation = "volume.beta.{platform}.io/storage-class";

/** Returns the class of the deprecated annotation, else that of the field. Cells get no `Names`, so the default names are used. */
export function classCell(object: ApiObject, className: string | undefined): string {
  const key = spell(defaultNames, classAnnotation);
  const { annotations = {} } = object.metadata;
  return Object.hasOwn(annotations, key) ? annotations[key]! : className ?? "";
}

export function phaseCell({ metadata }: ApiObject, phase: string | undefined): string {
  return (metadata.deletionTimestamp ?? null) === null ? phase ?? "" : "Terminating";
}
