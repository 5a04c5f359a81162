/** What `thole advise` reports: where a version that ends is used, who writes it, and what to do. */
import type { Release } from "../../../core/releases.ts";
import type { GroupVersion } from "../../../core/versions.ts";
import type { Place } from "./evidence.ts";

/** The kinds of findings, with their descriptions. */
export const ruleTexts = Object.freeze({
  "object-version": "An object is written in a version that ends.",
  "stored-object": "An object is stored in a version that ends.",
  "field-manager": "A client wrote fields of a stored object in a version that ends.",
  "last-applied": "kubectl apply wrote an object in a version that ends.",
  "reference": "A field names another object in a version that ends.",
  "webhook-rule": "A rule of a webhook names a version that ends.",
  "role-rule": "A rule of a role names an API group whose resources are in another group.",
  "stored-version": "A definition has stored objects in a version that it no longer serves.",
  "request": "A client requests a version that ends.",
});
export type RuleName = keyof typeof ruleTexts;

export interface Advice {
  readonly rule: RuleName;
  /** `error`: it ends by the target release. `warning`: later, or it is no failure. */
  readonly level: "error" | "warning";
  readonly place: Place;
  /** `Ingress web in default`. */
  readonly subject: string;
  readonly field?: string;
  readonly groupVersion?: GroupVersion;
  /** The release that removes it, if that is known. */
  readonly removed?: Release;
  /** Who writes or requests it. */
  readonly who?: string;
  readonly text: string;
  readonly fix: string;
}
