/** Cells that volumes and claims share. */
import { defaultNames, spell } from "../../core/names.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";

/** Short forms of access modes, in the order in which tables show them, each once. */
const shortModes = { ReadWriteOnce: "RWO", ReadOnlyMany: "ROX", ReadWriteMany: "RWX", ReadWriteOncePod: "RWOP" } as const;

export function accessModesCell(modes: readonly string[] = []): string {
  return Object.entries(shortModes).filter(([mode]) => modes.includes(mode)).map(([, short]) => short).join(",");
}

/** The key of the annotation that named the class before there was a field for it. */
export const classAnnotation = "volume.beta.{platform}.io/storage-class";

/** The class that the old annotation names, else that of the field. A cell knows no names: the platform's own are taken. */
export function classCell(object: ApiObject, className: string | undefined): string {
  const key = spell(defaultNames, classAnnotation);
  const { annotations = {} } = object.metadata;
  return Object.hasOwn(annotations, key) ? annotations[key]! : className ?? "";
}

export function phaseCell({ metadata }: ApiObject, phase: string | undefined): string {
  return (metadata.deletionTimestamp ?? null) === null ? phase ?? "" : "Terminating";
}
