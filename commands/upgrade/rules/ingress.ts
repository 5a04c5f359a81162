/** Ingresses to `networking.k8s.io/v1`. */
import type { Fields } from "../fields.ts";
import type { Rule } from "./rule.ts";

export const ingress: Rule = (object, { from, to }) => {
  const spec = object.fields("spec");
  if (spec === undefined || !to.endsWith("/v1")) return;
  spec.removeNulls("backend");
  const backend = spec.fields("backend");
  if (backend !== undefined) {
    backendToService(backend);
    spec.rename("backend", "defaultBackend");
  }
  for (const rule of spec.items("rules")) {
    for (const path of rule.fields("http")?.items("paths") ?? []) {
      const own = path.fields("backend");
      if (own !== undefined) backendToService(own);
      if (path.has("pathType")) continue;
      path.set("pathType", "ImplementationSpecific", path.has("path") ? { after: "path" } : { before: "backend" });
      path.note(
        "pathType",
        `ImplementationSpecific written, the default of ${from}: the controller decides; choose Prefix or Exact for the same everywhere`,
      );
    }
  }
};

/** Moves `serviceName` and `servicePort` into `service`. A backend of a `resource` stays. */
function backendToService(backend: Fields): void {
  if (!backend.has("serviceName") && !backend.has("servicePort")) return backend.removeNulls("serviceName", "servicePort");
  for (const name of ["serviceName", "servicePort"]) if (!backend.has(name)) backend.choice(name, "required");
  const isNumber = backend.scalar("servicePort")?.type === "int";
  const name = backend.take("serviceName"), port = backend.take("servicePort");
  const service = backend.fieldsOrNew("service");
  service.put(name, "name");
  if (port !== undefined) service.fieldsOrNew("port").put(port, isNumber ? "number" : "name");
}
