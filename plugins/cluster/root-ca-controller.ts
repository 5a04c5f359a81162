/** Publishes the root certificates as a ConfigMap in each namespace. Clients in the cluster verify the server with them. */
import { type Api, type ApiObject, type Controller, type ControllerContext, StatusError } from "../../plugin.ts";
import { type Names, spell, untilAborted, valueText, worked, type WorkMeter } from "../../toolbox.ts";

/** The name of the ConfigMap, which clients expect, and the key of the certificates in it. */
const mapName = "kube-root-ca.crt", key = "ca.crt";

const description = "CA certificates that clients in the cluster use to verify the API server. Maintained by a controller.";

/** The fields of a ConfigMap that the controller uses. */
interface ConfigMap extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

interface Published {
  readonly api: Api;
  readonly names: Names;
  readonly certificates: string;
  readonly work: WorkMeter;
  readonly logError: ControllerContext["logError"];
}

export const rootCaController: Controller = {
  name: "root-ca-certificate-publisher",
  serviceAccount: "root-ca-cert-publisher",
  fieldManager: "kube-controller-manager",
  needs: ["namespaces", "configmaps"].map((resource) => ({ resource, groupVersions: ["v1"] })),
  async run({ api, names, work, logError, rootCertificates: certificates }, signal) {
    if (certificates === undefined) return untilAborted(signal);
    const published = { api, names, certificates, work, logError };
    // If one watch fails, the other is ended too, and the controller restarts as a whole.
    const failed = new AbortController();
    const until = AbortSignal.any([signal, failed.signal]);
    const watches = [watchNamespaces(published, until), watchMaps(published, until)];
    try {
      await Promise.all(watches);
    } finally {
      failed.abort();
      await Promise.allSettled(watches);
    }
  },
};

async function watchNamespaces(published: Published, signal: AbortSignal): Promise<void> {
  for await (const { type, object: { metadata } } of published.api.watch("v1", "namespaces", "", {}, signal)) {
    if (type === "DELETED" || (metadata.deletionTimestamp ?? null) !== null) continue;
    await ensure(published, metadata.name ?? "");
  }
}
/** Restores changed and deleted ConfigMaps. Logs each one that cannot be corrected. */
async function watchMaps(published: Published, signal: AbortSignal): Promise<void> {
  const { api, logError } = published;
  for await (const { object: { metadata } } of api.watch("v1", "configmaps", "", { fieldSelector: `metadata.name=${mapName}` }, signal)) {
    const { namespace = "" } = metadata;
    if (await ensure(published, namespace) !== "left") continue;
    const which = valueText(`${namespace}/${mapName}`);
    logError(`ConfigMap ${which} is immutable and holds other certificates than the root certificates; delete it to have it recreated`);
  }
}

/** Creates or corrects the ConfigMap of a namespace. Resolves with `left` if it is wrong and immutable. */
async function ensure({ api, names, certificates, work }: Published, namespace: string): Promise<"done" | "left"> {
  const annotation = spell(names, "{platform}.io/description");
  const wanted = (found?: ConfigMap) => ({
    ...found,
    metadata: { ...found?.metadata, name: mapName, annotations: { ...found?.metadata.annotations, [annotation]: description } },
    data: { [key]: certificates },
  });
  try {
    return await worked(work, namespace, async () => {
      const found = await read(api, namespace);
      if (found === undefined) await api.create("v1", "configmaps", namespace, wanted());
      else if (found.immutable === true && !holds(found, certificates)) return "left";
      else if (!isCurrent(found, certificates, annotation)) await api.update("v1", "configmaps", namespace, mapName, wanted(found));
      return "done";
    });
  } catch (error) {
    if (!(error instanceof StatusError) || !isExpected(error)) throw error;
    return "done";
  }
}

async function read(api: Api, namespace: string): Promise<ConfigMap | undefined> {
  try {
    return await api.get("v1", "configmaps", namespace, mapName);
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return undefined;
    throw error;
  }
}

function isCurrent(map: ConfigMap, certificates: string, annotation: string): boolean {
  return holds(map, certificates) && Object.hasOwn(map.metadata.annotations ?? {}, annotation);
}
/** Whether the data consists of exactly these certificates. */
function holds({ data = {} }: ConfigMap, certificates: string): boolean {
  return Object.keys(data).length === 1 && data[key] === certificates;
}

/**
 * Whether the error needs no retry: another write came first (the watch reports it), the namespace is being deleted, or ConfigMaps are not
 * served.
 */
function isExpected({ reason }: StatusError): boolean {
  return reason === "AlreadyExists" || reason === "Conflict" || reason === "NotFound" || reason === "Forbidden";
}
