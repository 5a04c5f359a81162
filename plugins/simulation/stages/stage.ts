/** The kind Stage. */
import { type ApiObject, definedResource, defineResource, type Resource } from "../../../plugin.ts";
import { stageDefinition } from "./definition.ts";

/** An expression whose first value is used. */
export interface ExpressionFrom {
  readonly cel?: { readonly expression?: string };
  readonly jq?: { readonly expression?: string };
  readonly expressionFrom?: string;
}
/** Values of an expression of jq, and how they are compared. */
export interface JqRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}
/** A requirement of a selector. */
export interface MatchExpression extends JqRequirement {
  readonly cel?: { readonly expression?: string };
  readonly jq?: JqRequirement;
}
/** Which objects a stage is for. */
export interface StageSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchAnnotations?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly MatchExpression[];
}
/** How long a stage waits. */
export interface StageDelay {
  readonly durationMilliseconds?: number;
  readonly durationFrom?: ExpressionFrom;
  readonly jitterDurationMilliseconds?: number;
  readonly jitterDurationFrom?: ExpressionFrom;
}
/** An event about the object. */
export interface StageEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}
/** A change of the finalizers. */
export interface StageFinalizers {
  readonly add?: readonly { readonly value?: string }[];
  readonly remove?: readonly { readonly value?: string }[];
  readonly empty?: boolean;
}
/** The user as whom a write is done. */
export interface Impersonation {
  readonly username: string;
}
/** A patch of the object. */
export interface StagePatch {
  readonly subresource?: string;
  readonly root?: string;
  readonly template?: string;
  readonly type?: "json" | "merge" | "strategic";
  readonly impersonation?: Impersonation;
}
/** An object that is applied. */
export interface StageApply {
  readonly template?: string;
  readonly subresource?: string;
  readonly type?: "apply" | "merge" | "strategic";
  readonly impersonation?: Impersonation;
}
/** What a stage does, in the older form. */
export interface StageNext {
  readonly event?: StageEvent;
  readonly finalizers?: StageFinalizers;
  readonly delete?: boolean;
  readonly patches?: readonly StagePatch[];
  readonly statusTemplate?: string;
  readonly statusSubresource?: string;
  readonly statusPatchAs?: Impersonation;
}
/** One step of a stage. */
export interface StageStep {
  readonly patch?: StagePatch;
  readonly event?: StageEvent;
  readonly finalizers?: StageFinalizers;
  readonly delete?: boolean;
  readonly apply?: StageApply;
}
/** Which objects a stage is for, when, and what it does. */
export interface StageSpec {
  readonly resourceRef: { readonly apiGroup?: string; readonly kind: string };
  readonly selector?: StageSelector;
  readonly weight?: number;
  readonly weightFrom?: ExpressionFrom;
  readonly delay?: StageDelay;
  readonly next?: StageNext;
  readonly steps?: readonly StageStep[];
  readonly immediateNextStage?: boolean;
}
/** A stage of the life of objects. */
export interface Stage extends ApiObject {
  readonly spec: StageSpec;
}

// `as`: the schema of the definition describes this type.
export const stages = defineResource(definedResource({ spec: stageDefinition })) as Resource<any> as Resource<Stage>;
