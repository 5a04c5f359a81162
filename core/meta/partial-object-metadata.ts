/** An object cut down to its metadata, for clients that want no more (meta/v1). */
import { object } from "./object.ts";

export const PartialObjectMetadata = object("PartialObjectMetadata", {}, {
  package: "meta/v1",
  doc: "The metadata of any object, without anything else of it.",
});
