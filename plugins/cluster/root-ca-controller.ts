/** Publishes in each namespace the certificates by which clients inside of a cluster know the server, where it was given some. */
import { type Names, spell } from "../../core/names.ts";
import type { Api, Controller, ControllerContext } from "../../core/plugin.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { worked, type WorkMeter } from "../../core/work.ts";
import { StatusError } from "../../core/status-error.ts";
import { untilAborted } from "../../core/async.ts";

/** The ConfigMap that clients look for, and its key. */
const mapName = "kube-root-ca.crt", key = "ca.crt";

const description = "Certificates of the authorities by which clients in the cluster verify the API server; kept by a controller.";

/** What a ConfigMap is here: what the API answers under its path. */
interface ConfigMap extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

interface Published {
  readonly api: Api;
  readonly names: Names;
  readonly certificates: string;
  readonly work: WorkMeter | undefined;
  readonly tell: ControllerContext["tell"];
}

export const rootCaController: Controller = {
  name: "root-ca-certificate-publisher",
  needs: ["namespaces", "configmaps"].map((resource) => ({ resource, groupVersions: ["v1"] })),
  async run({ api, names, work, tell, rootCertificates: certificates }, signal) {
    if (certificates === undefined) return untilAborted(signal);
    const published = { api, names, certificates, work, tell };
    // Where one of the two watches fails, the other ends too, so that both start again together.
    const failed = new AbortController();
    const until = AbortSignal.any([signal, failed.signal]);
    const watches = [onNamespaces(published, until), onMaps(published, until)];
    try {
      await Promise.all(watches);
    } finally {
      failed.abort();
      await Promise.allSettled(watches);
    }
  },
};

async function onNamespaces(published: Published, signal: AbortSignal): Promise<void> {
  for await (const { type, object: { metadata } } of published.api.watch("v1", "namespaces", "", {}, signal)) {
    if (type === "DELETED" || (metadata.deletionTimestamp ?? null) !== null) continue;
    await ensure(published, metadata.name ?? "");
  }
}
/** Whatever becomes of the map is put right; of one that cannot be is told when it is seen. */
async function onMaps(published: Published, signal: AbortSignal): Promise<void> {
  const { api, tell } = published;
  for await (const { object: { metadata } } of api.watch("v1", "configmaps", "", { fieldSelector: `metadata.name=${mapName}` }, signal)) {
    const { namespace = "" } = metadata;
    if (await ensure(published, namespace) !== "left") continue;
    const which = JSON.stringify(`${namespace}/${mapName}`);
    tell?.(`ConfigMap ${which} is immutable and holds other certificates than those to be published; it stays so until it is deleted`);
  }
}

/** `left`: what is there is wrong and cannot be changed. */
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
      else if (!isRight(found, certificates, annotation)) await api.update("v1", "configmaps", namespace, mapName, wanted(found));
      return "done";
    });
  } catch (error) {
    if (!(error instanceof StatusError) || !isSettled(error)) throw error;
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

function isRight(map: ConfigMap, certificates: string, annotation: string): boolean {
  return holds(map, certificates) && Object.hasOwn(map.metadata.annotations ?? {}, annotation);
}
/** The certificates and nothing else. */
function holds({ data = {} }: ConfigMap, certificates: string): boolean {
  return Object.keys(data).length === 1 && data[key] === certificates;
}

/** Somebody else was faster, and what they did comes by a watch; or the namespace is gone or going, or ConfigMaps are not served. */
function isSettled({ reason }: StatusError): boolean {
  return reason === "AlreadyExists" || reason === "Conflict" || reason === "NotFound" || reason === "Forbidden";
}
