/** Certificates of pods that a kubelet may request: those of the pods on its node, with their account. */
import { type ApiObject, type RequestHookContext, StatusError } from "../../../plugin.ts";
import { spell } from "../../../toolbox.ts";
import type { Pod } from "../authorizer/references.ts";

export interface PodCertificateRequest extends ApiObject {
  readonly spec: {
    readonly podName: string;
    readonly podUID: string;
    readonly serviceAccountName: string;
    readonly serviceAccountUID: string;
    readonly nodeName: string;
    readonly nodeUID: string;
  };
}

/** An error that a kubelet may retry, because its view of the object and that of the server may differ for a moment. */
function retryable(message: string): StatusError {
  return new StatusError("Unknown", message, { code: 500 });
}

async function found(
  { read }: RequestHookContext,
  [resource, kind]: readonly [plural: string, words: string],
  namespace: string,
  name: string,
): Promise<ApiObject> {
  const object = await read.get("v1", resource, namespace, name);
  if (object !== undefined) return object;
  const shown = namespace === "" ? name : `${namespace}/${name}`;
  throw retryable(`while retrieving ${kind} "${shown}" named in the PodCertificateRequest: ${resource} "${name}" not found`);
}

/** The reason against a request for a certificate by the kubelet of a node. */
export async function againstCertificate(
  node: string,
  { spec, metadata: { namespace = "" } }: PodCertificateRequest,
  prior: unknown,
  context: RequestHookContext,
): Promise<string | undefined> {
  if (prior !== undefined) return "unexpected operation UPDATE";
  const { podName, podUID, serviceAccountName, serviceAccountUID, nodeName, nodeUID } = spec, which = `"${namespace}/${podName}"`;
  if (nodeName !== node) return `PodCertificateRequest.Spec.NodeName="${nodeName}", which is not the requesting node "${node}"`;
  const { uid: ownUid } = (await found(context, ["nodes", "node"], "", nodeName)).metadata;
  if (ownUid !== nodeUID) {
    throw retryable(`PodCertificateRequest for pod ${which} names node UID "${nodeUID}", inconsistent with the running node ("${ownUid}")`);
  }
  const pod = await found(context, ["pods", "pod"], namespace, podName) as Pod; // the type of the resource
  if (pod.metadata.uid !== podUID) {
    throw retryable(
      `PodCertificateRequest for pod ${which} contains pod UID ("${podUID}") which differs from running pod "${pod.metadata.uid}"`,
    );
  }
  if (pod.spec.nodeName !== nodeName) return `pod ${which} is not running on node "${nodeName}" named in the PodCertificateRequest`;
  if (Object.hasOwn(pod.metadata.annotations ?? {}, spell(context.names, "{platform}.io/config.mirror"))) {
    return `pod ${which} is a mirror pod`;
  }
  const { serviceAccountName: running = "" } = pod.spec;
  if (serviceAccountName !== running) {
    return `PodCertificateRequest for pod ${which} contains serviceAccountName ("${serviceAccountName}") that differs from running pod ("${running}")`;
  }
  const { uid } = (await found(context, ["serviceaccounts", "service account"], namespace, serviceAccountName)).metadata;
  if (uid === serviceAccountUID) return undefined;
  throw retryable(
    `PodCertificateRequest for pod ${which} names service account UID "${serviceAccountUID}", which differs from the running service account ("${uid}")`,
  );
}
