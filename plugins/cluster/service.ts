import { defineResource } from "../../core/define.ts";
import { ageColumn, nameColumn } from "../../core/meta/columns.ts";
import { object } from "../../core/meta/object.ts";
import type { Column } from "../../core/plugin.ts";
import { field, type Infer, record, string, structsOf } from "../../core/schema.ts";

const home = "core/v1";
const struct = structsOf(home);

const ServiceSpec = struct("ServiceSpec", {
  selector: field(2, record(string), "Labels of the pods that stand behind it."),
  clusterIP: field(3, string, "Address inside of the cluster."),
  type: field(4, string, "How it can be reached."),
}, { doc: "How a service can be reached." });

const Service = object("Service", {
  spec: field(2, ServiceSpec, "How it can be reached."),
}, {
  package: home,
  doc: "A name for a group of pods. There are no pods here, so there are no services either: the collection can be read.",
});
type Service = Infer<typeof Service>;

const columns: readonly Column<Service>[] = [nameColumn, ageColumn];

/** `kubectl cluster-info` asks for the services of the cluster itself, and fails where nobody can tell that there are none. */
export const services = defineResource<Service>({
  kind: "Service",
  scope: "Namespaced",
  shortNames: ["svc"],
  summary: "A name for a group of pods; there are none here.",
  storedAs: "v1",
  storedUnder: "services/specs",
  served: { v1: { schema: Service, introduced: "1.0", columns } },
  strategy: { without: ["create", "update", "patch", "delete", "deletecollection"] },
});
