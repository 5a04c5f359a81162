/** Tokens of service accounts that a kubelet may request: those of the pods on its node, for audiences that these name. */
import type { ApiObject, RequestHookContext } from "../../../plugin.ts";
import type { Pod, Volume } from "../authorizer/references.ts";

export interface TokenRequest extends ApiObject {
  readonly spec: {
    readonly audiences?: readonly string[] | null;
    readonly boundObjectRef?: { readonly kind?: string; readonly apiVersion?: string; readonly name?: string; readonly uid?: string };
  };
}
type Reader = RequestHookContext["read"];
type Driver = ApiObject & { readonly spec: { readonly tokenRequests?: readonly { readonly audience: string }[] } };
type Claim = ApiObject & { readonly spec: { readonly volumeName?: string } };

/** The CSI driver of a claim's volume. */
async function driverOf(claim: string, namespace: string, read: Reader): Promise<string | undefined> {
  const found = await read.get("v1", "persistentvolumeclaims", namespace, claim) as Claim | undefined; // types of the resources, also below
  const volume = await read.get("v1", "persistentvolumes", "", found?.spec.volumeName ?? "") as Volume | undefined;
  return volume?.spec.csi?.driver;
}

/** Whether a volume of the pod needs a token for the audience. */
async function hasAudience(pod: Pod, audience: string, read: Reader): Promise<boolean> {
  const { namespace = "", name: podName = "" } = pod.metadata;
  for (const { name, projected, persistentVolumeClaim, ephemeral, csi } of pod.spec.volumes ?? []) {
    const sources = projected?.sources ?? [];
    if (sources.some(({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? "") === audience)) return true;
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${podName}-${name}`);
    const driver = csi?.driver ?? (claim === undefined ? undefined : await driverOf(claim, namespace, read));
    if (driver === undefined) continue;
    const found = await read.get("storage.{domain}/v1", "csidrivers", "", driver) as Driver | undefined;
    if ((found?.spec.tokenRequests ?? []).some((each) => each.audience === audience)) return true;
  }
  return false;
}

/** The reason against a token that the kubelet of a node requests. */
export async function againstToken(node: string, { spec }: TokenRequest, context: RequestHookContext): Promise<string | undefined> {
  const { read, caller, request: { namespace }, requestName: name } = context, { boundObjectRef: bound } = spec;
  if (bound === undefined || bound.apiVersion !== "v1" || bound.kind !== "Pod" || (bound.name ?? "") === "") {
    return "node requested token not bound to a pod";
  }
  if ((bound.uid ?? "") === "") return "node requested token with a pod binding without a uid";
  const pod = await read.get("v1", "pods", namespace, bound.name!) as Pod | undefined;
  if (pod === undefined) return `pod "${bound.name}" not found`;
  if (pod.metadata.uid !== bound.uid) {
    return `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  if (pod.spec.nodeName !== node) return "node requested token bound to a pod scheduled on a different node";
  const audiences = spec.audiences ?? [], [audience = ""] = audiences;
  if (audiences.length > 1) return "node may only request 0 or 1 audiences";
  if (await hasAudience(pod, audience, read)) return undefined;
  const verb = "request-serviceaccounts-token-audience";
  const asked = { isResourceRequest: true, path: "", verb, group: "", version: "v1", resource: audience, subresource: "", namespace, name };
  if ((await context.access.authorize(caller, asked)).verdict === "allow") return undefined;
  return `audience "${audience}" not found in pod spec volume, ${caller.name} is not authorized to request tokens for this audience`;
}
