/** The first example of docs/schema-language.md. */
import { field, type Infer, int32, object, oneOf, struct } from "../../plugin.ts";

const Spec = struct("ShipSpec", {
  masts: field(1, int32, "Number of masts.", { default: 3, publish: { minimum: 0 } }),
  rig: field(2, oneOf("Sloop", "Ketch"), "How it is rigged.", { required: true }),
}, { doc: "The wanted state of a ship." });

export const Ship = object("Ship", {
  spec: field(2, Spec, "The wanted state.", { required: true }),
}, { package: "fleet.example.com/v1", doc: "A ship of the fleet." });

// { kind, apiVersion, metadata, spec: { rig: "Sloop" | "Ketch"; masts?: number } }
export type Ship = Infer<typeof Ship>;
