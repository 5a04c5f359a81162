/** The metadata of templates from which claims are made. */
import { type FieldError, forbidden } from "../../plugin.ts";
import { ObjectMeta, validateAnnotations, validateLabels } from "../../toolbox.ts";
import { keepingEmpty } from "./keeping-empty.ts";

/** Metadata with the empty lists that its rules refuse. */
export const TemplateMeta = keepingEmpty(ObjectMeta, ["ownerReferences", "finalizers", "managedFields"]);

/** The fields that must not be set, in Go's order, with the names that errors show where they differ. */
const others = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "ownerReferences",
  "finalizers",
  "managedFields",
] as const satisfies readonly (keyof ObjectMeta)[];
const shownNames: Readonly<Record<string, string>> = { uid: "uID" };

/** Checks the metadata of a template: only labels and annotations are allowed. */
export function validateTemplateMeta(metadata: ObjectMeta, path: string): readonly FieldError[] {
  return [
    ...validateAnnotations(metadata.annotations, `${path}.annotations`),
    ...validateLabels(metadata.labels, `${path}.labels`),
    ...others.filter((key) => !isZero(key, metadata[key])).map((key) => forbidden(`${path}.${shownNames[key] ?? key}`, "cannot be set")),
  ];
}

/** Whether a value is absent in Go, where a list can be empty and the grace period is a pointer. */
function isZero(key: keyof ObjectMeta, value: unknown): boolean {
  return value === undefined || value === null || value === "" || (value === 0 && key !== "deletionGracePeriodSeconds");
}
