/** The schema of APIService. */
import { boolean, bytes, field, type Infer, int32, mapBy, object, string, structsOf, time } from "../../plugin.ts";
import { named } from "../../toolbox.ts";

const home = "apiregistration/v1";
const struct = structsOf(home);

export const groupVersion = "apiregistration.{domain}/v1", plural = "apiservices";
/** The port of a service whose reference names none. */
const defaultPort = 443;

const ServiceReference = struct("ServiceReference", {
  namespace: field(1, string, "The namespace of the service."),
  name: field(2, string, "The name of the service."),
  port: field(3, int32, "The port of the service. Default: 443.", { pointer: true, unpublishedDefault: defaultPort }),
}, { doc: "A service that serves a group version." });
export type ServiceReference = Infer<typeof ServiceReference>;

const APIServiceSpec = struct("APIServiceSpec", {
  service: field(1, ServiceReference, "The service to which requests go. Absent: this server serves the group version.", { pointer: true }),
  group: field(2, string, "The API group; empty for the core group."),
  version: field(3, string, "The version, such as v1."),
  insecureSkipTLSVerify: field(4, boolean, "Whether the certificate of the service is not verified. Not for production.", {
    goName: "InsecureSkipTLSVerify",
  }),
  caBundle: field(5, bytes, "CA certificates in PEM that verify the service. Default: those of the system.", {
    goName: "CABundle",
    publish: { "x-kubernetes-list-type": "atomic" },
  }),
  groupPriorityMinimum: field(7, int32, "The priority of the group, of which the highest of its versions counts. Higher ones come first.", {
    required: true,
  }),
  versionPriority: field(8, int32, "The priority of the version in its group. Higher ones come first.", { required: true }),
}, { doc: "The specification of an APIService." });

const APIServiceCondition = struct("APIServiceCondition", {
  type: field(1, named("v1.APIServiceConditionType", string), "The type: Available.", { required: true }),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  lastTransitionTime: field(3, time, "The time of the last change of the status.", { written: "always" }),
  reason: field(4, string, "The reason of the last change, in CamelCase."),
  message: field(5, string, "Details for people."),
}, { doc: "A condition of an APIService." });
export type APIServiceCondition = Infer<typeof APIServiceCondition>;

const APIServiceStatus = struct("APIServiceStatus", {
  conditions: field(1, mapBy(["type"], APIServiceCondition), "The condition Available.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
}, { doc: "The state of an APIService. Set by the server." });

export const APIService = object("APIService", {
  spec: field(2, APIServiceSpec, "The group version, and the service that serves it.", { written: "always" }),
  status: field(3, APIServiceStatus, "Whether the group version is available.", { written: "always" }),
}, { package: home, doc: "A group version of the API, which this server or another one serves. Its name is VERSION.GROUP." });
export type APIService = Infer<typeof APIService>;
