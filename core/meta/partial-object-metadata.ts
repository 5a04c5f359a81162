/** The metadata of an object without its other fields (meta/v1). */
import { object } from "./object.ts";

export const PartialObjectMetadata = object("PartialObjectMetadata", {}, {
  package: "meta/v1",
  doc: "The metadata of an object of any kind, without its other fields.",
});
