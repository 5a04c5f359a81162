import { defineResource } from "../../core/define/define.ts";
import { object } from "../../core/meta/object.ts";
import { field, type Infer, string, structsOf } from "../../core/schema.ts";

const home = "apiextensions/v1";
const struct = structsOf(home);

const Spec = struct("CustomResourceDefinitionSpec", {
  group: field(1, string, "Group of the kind."),
}, { doc: "What a kind is called." });

const CustomResourceDefinition = object("CustomResourceDefinition", {
  spec: field(2, Spec, "What the kind is called.", { written: "always" }),
}, {
  package: home,
  doc: "A kind that is defined while the server runs. There are none here: kinds come with plugins. The collection can be read.",
});

/**
 * kubectl lists definitions when it meets a kind that the OpenAPI documents do not let it write, and fails with that list's error where
 * there is no answer. Unlisted, so that no client takes custom resources for served.
 */
export const customResourceDefinitions = defineResource<Infer<typeof CustomResourceDefinition>>({
  kind: "CustomResourceDefinition",
  scope: "Cluster",
  unlisted: true,
  summary: "A kind that is defined while the server runs; there are none here.",
  storedAs: "apiextensions.{domain}/v1",
  storedUnder: "apiextensions.{domain}/customresourcedefinitions",
  served: { "apiextensions.{domain}/v1": { schema: CustomResourceDefinition, introduced: "1.16" } },
  strategy: {
    without: ["create", "update", "patch", "delete", "deletecollection"],
    withoutReason: "this server has no custom resources yet: kinds come with plugins; the collection can be read and is empty",
  },
});
