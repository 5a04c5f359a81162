/** The settings of admission, and their values. */
import { fixed, list, live, text, texts } from "./setting.ts";

export interface AdmissionConfig {
  readonly "admission-control-config-file": string;
  readonly "webhook-addresses": ReadonlyMap<string, string>;
  readonly "enable-admission-plugins": readonly string[];
  readonly "disable-admission-plugins": readonly string[];
}

export const admissionSettings = Object.freeze({
  "admission-control-config-file": fixed(
    "it is read at the start",
    text(
      "",
      "File with an AdmissionConfiguration: for which requests an admission plugin runs, and the credentials for webhooks. Empty: every plugin " +
        "runs for all of its requests, and webhooks get no credentials.",
    ),
  ),
  "webhook-addresses": fixed(
    "the process has permissions for these addresses",
    texts(
      "Address of a webhook, or of the service of a registered API, by the host and port that its configuration names: host:port=host:port. A Service is " +
        "name.namespace.svc:port. Hosts without an entry are resolved by DNS; with `npm start` only entries can be reached. Can be repeated.",
    ),
  ),
  "enable-admission-plugins": live(list(
    "Admission plugins to enable although they are off by default, by name, such as OwnerReferencesPermissionEnforcement. The order does not matter.",
  )),
  "disable-admission-plugins": live(list(
    "Admission plugins to disable, by name, such as DefaultStorageClass. Names of kube-apiserver that this server does not have are accepted.",
  )),
});
