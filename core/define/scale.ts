/** The subresource `scale`: an autoscaling/v1 Scale of any kind that has a number of replicas. */
import { type FieldError, invalid } from "../field-error.ts";
import { age, type Column, nameColumn } from "../meta/columns.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import { object } from "../meta/object.ts";
import type { Subresource, SubresourceBody, SubresourceView } from "../subresource.ts";
import { field, type Infer, int32, string, struct } from "../schema.ts";

const home = { package: "autoscaling/v1" };

const ScaleSpec = struct("ScaleSpec", {
  replicas: field(1, int32, "The wanted number of instances.", { default: 0, zeroIsAbsent: true }),
}, { ...home, doc: "The wanted state of a scaled object." });

const ScaleStatus = struct("ScaleStatus", {
  replicas: field(1, int32, "The observed number of instances.", { required: true }),
  selector: field(2, string, "Label selector of the instances, in the form of query parameters."),
}, { ...home, doc: "The observed state of a scaled object." });

/** The schema of autoscaling/v1 Scale. */
export const Scale = object("Scale", {
  spec: field(2, ScaleSpec, "The wanted state.", { written: "always" }),
  status: field(3, ScaleStatus, "The observed state. Read-only.", { written: "always" }),
}, { ...home, doc: "The number of instances of an object." });
export type Scale = Infer<typeof Scale>;

/** Paths of fields in the stored form, such as `.spec.replicas`, in the syntax of custom resource definitions. */
export interface ScalePaths {
  /** The path of an integer: the wanted number of replicas. Writes of `scale` change it. */
  readonly specReplicasPath: string;
  /** The path of an integer: the present number of replicas. */
  readonly statusReplicasPath: string;
  /** The path of a string: a label selector in the form of query parameters. */
  readonly labelSelectorPath?: string;
  /** The path of the wanted number in the version that has this subresource. Default: `specReplicasPath`. */
  readonly servedReplicasPath?: string;
}

const columns: readonly Column<Scale>[] = [
  { ...nameColumn, format: "" },
  { name: "Desired", type: "integer", description: "The wanted number of instances.", cell: ({ spec }) => spec.replicas ?? 0 },
  { name: "Available", type: "integer", description: "The observed number of instances.", cell: ({ status }) => status.replicas },
  {
    name: "Age",
    type: "string",
    description: "Time since the object was created.",
    cell: ({ metadata }) => age(metadata.creationTimestamp),
  },
];

/**
 * Makes the subresource `scale` for `Served.subresources`. `kubectl scale` and autoscalers use it.
 *
 * An absent number is 0, as in every field of a schema. A negative number is rejected with 422.
 */
export function scaleSubresource<T extends ApiObject = any>(paths: ScalePaths): Subresource<T> {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath, servedReplicasPath = specReplicasPath } = paths;
  const wanted = namesOf(specReplicasPath), observed = namesOf(statusReplicasPath);
  const selectorNames = labelSelectorPath === undefined ? undefined : namesOf(labelSelectorPath);
  const view: SubresourceView<T, Scale> = {
    groupVersion: "autoscaling/v1",
    schema: Scale,
    columns,
    read: (object): SubresourceBody<Scale> => {
      const replicas = Number(valueAt(object, wanted) ?? 0);
      const selector = selectorNames === undefined ? undefined : valueAt(object, selectorNames);
      const status = { replicas: Number(valueAt(object, observed) ?? 0) };
      return {
        spec: replicas === 0 ? {} : { replicas },
        status: typeof selector === "string" && selector !== "" ? { ...status, selector } : status,
      };
    },
    validate: ({ spec: { replicas = 0 } }): readonly FieldError[] =>
      replicas < 0 ? [invalid("spec.replicas", replicas, "must be greater than or equal to 0")] : [],
    write: ({ spec: { replicas = 0 } }, prior) => withValue(prior, wanted, replicas) as T, // its kind has a number at this path
    fields: { "spec.replicas": servedReplicasPath },
  };
  return Object.freeze({ view });
}

function namesOf(path: string): readonly string[] {
  return path.split(".").filter((name) => name !== "");
}

function valueAt(object: object, names: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of names) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name]; // it is an own key
  }
  return value;
}

function withValue(object: object, [name = "", ...rest]: readonly string[], value: unknown): object {
  const below = valueAt(object, [name]);
  const next = rest.length === 0 ? value : withValue(typeof below === "object" && below !== null ? below : {}, rest, value);
  return { ...object, [name]: next };
}
