import { defineResource } from "../../core/define/define.ts";
import { object } from "../../core/meta/object.ts";
import { field, type Infer, string, structsOf } from "../../core/schema.ts";

const home = "apiextensions/v1";
const struct = structsOf(home);

const Spec = struct("CustomResourceDefinitionSpec", {
  group: field(1, string, "The API group of the kind."),
}, { doc: "The names of a kind." });

const CustomResourceDefinition = object("CustomResourceDefinition", {
  spec: field(2, Spec, "The names of the kind.", { written: "always" }),
}, {
  package: home,
  doc: "A kind that is defined at run time. This server has none: plugins define the kinds. The collection can be read and is empty.",
});

/**
 * kubectl lists CustomResourceDefinitions if the OpenAPI documents do not describe a kind, and fails with the error of that list request.
 * The resource is not in discovery, so that clients do not expect custom resources.
 */
export const customResourceDefinitions = defineResource<Infer<typeof CustomResourceDefinition>>({
  kind: "CustomResourceDefinition",
  scope: "Cluster",
  unlisted: true,
  summary: "A kind that is defined at run time. This server has none.",
  storedAs: "apiextensions.{domain}/v1",
  storedUnder: "apiextensions.{domain}/customresourcedefinitions",
  served: { "apiextensions.{domain}/v1": { schema: CustomResourceDefinition, introduced: "1.16" } },
  strategy: {
    without: ["create", "update", "patch", "delete", "deletecollection"],
    withoutReason: "this server has no custom resources: plugins define the kinds; the collection can be read and is empty",
  },
});
