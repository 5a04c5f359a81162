/** Columns that the tables of workloads share. */
import type { ApiObject, Column } from "../../../plugin.ts";
import type { PodSpec } from "../pod/pod-spec.ts";

/** The columns Containers and Images, which only wide tables show. */
export function containerColumns<T extends ApiObject>(specOf: (object: T) => PodSpec | undefined): readonly Column<T>[] {
  const containers = (object: T) => specOf(object)?.containers ?? [];
  return [
    {
      name: "Containers",
      type: "string",
      description: "The names of the containers of the template.",
      priority: 1,
      cell: (object) => containers(object).map(({ name }) => name).join(","),
    },
    {
      name: "Images",
      type: "string",
      description: "The images of the containers of the template.",
      priority: 1,
      cell: (object) => containers(object).map(({ image = "" }) => image).join(","),
    },
  ];
}

/** The column Selector, which only wide tables show. */
export function selectorColumn<T extends ApiObject>(textOf: (object: T) => string): Column<T> {
  return { name: "Selector", type: "string", description: "The pods that belong to the object.", priority: 1, cell: textOf };
}
