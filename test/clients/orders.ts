/** A custom resource with a status, a scale, columns, selectable fields and a list that is merged by key. */
export const group = "shop.example.com";
export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `orders.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "orders", singular: "order", kind: "Order", shortNames: ["od"], categories: ["shopping"] },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      subresources: {
        status: {},
        scale: { specReplicasPath: ".spec.count", statusReplicasPath: ".status.count", labelSelectorPath: ".status.selector" },
      },
      selectableFields: [{ jsonPath: ".spec.customer" }],
      additionalPrinterColumns: [
        { name: "Customer", type: "string", jsonPath: ".spec.customer" },
        { name: "Count", type: "integer", jsonPath: ".spec.count" },
        { name: "Note", type: "string", jsonPath: ".spec.note", priority: 1 },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      ],
      schema: {
        openAPIV3Schema: {
          description: "An order of a shop.",
          type: "object",
          required: ["spec"],
          properties: {
            spec: {
              description: "What is ordered.",
              type: "object",
              required: ["customer"],
              properties: {
                customer: { type: "string", description: "Who pays." },
                count: { type: "integer", minimum: 0, default: 1 },
                note: { type: "string", enum: ["", "gift", "urgent"] },
                lines: {
                  type: "array",
                  "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["article"],
                  items: {
                    type: "object",
                    required: ["article"],
                    properties: { article: { type: "string", description: "What is sold." }, amount: { type: "integer" } },
                  },
                },
              },
            },
            status: {
              type: "object",
              properties: {
                count: { type: "integer" },
                selector: { type: "string" },
                phase: { type: "string" },
                conditions: {
                  type: "array",
                  items: { type: "object", properties: { type: { type: "string" }, status: { type: "string" } } },
                },
              },
            },
          },
        },
      },
    }],
  },
};

/** An Order as JSON. */
export const order = (name: string, spec: object, more: object = {}) =>
  JSON.stringify({ apiVersion: `${group}/v1`, kind: "Order", metadata: { name, ...more }, spec });
