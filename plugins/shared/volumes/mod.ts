/** Schemas and validation of volumes (core/v1), shared by pods, persistent volumes, claims and attachments. */
export * from "./claim-spec.ts";
export * from "./image.ts";
export * from "./modes.ts";
export * from "./node-selector.ts";
export * from "./persistent-sources.ts";
export * from "./persistent-volume-spec.ts";
export * from "./pod-sources.ts";
export * from "./projections.ts";
export * from "./references.ts";
export * from "./resources.ts";
export * from "./rules.ts";
export * from "./shared-sources.ts";
export * from "./validate-claim.ts";
export * from "./validate-node-selector.ts";
export * from "./validate-persistent-volume.ts";
export * from "./volume.ts";
