/**
 * Publishes in `kube-system` how servers of registered APIs know users: the CAs of client certificates, and by which certificates and headers this server
 * names users, as kube-apiserver's controller of the same name. Values that other servers have published stay.
 */
import { type ApiObject, type ControllerContext, runWorkQueue, type StartHook, StatusError } from "../../plugin.ts";
import { isServed } from "../shared/is-served.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { sameValue, type SettingKey, valueText } from "../../toolbox.ts";

const namespace = "kube-system", name = "extension-apiserver-authentication";
/** Milliseconds between looks at the files of the CAs. */
const againMs = 60_000;

/** The lists of settings that are published, under the same names. */
const lists = [
  "requestheader-username-headers",
  "requestheader-uid-headers",
  "requestheader-group-headers",
  "requestheader-extra-headers-prefix",
  "requestheader-allowed-names",
] as const;
const key = (each: typeof lists[number]): SettingKey<"list"> => ({ name: each, kind: "list" });

/** The members of a ConfigMap that are used here. */
export type InfoMap = ApiObject & { readonly data?: Readonly<Record<string, string>> };
type Data = NonNullable<InfoMap["data"]>;

/** The data with those of this server added. */
export function mergedData(
  found: Data,
  { clientCa, frontProxyCa }: Trust,
  listOf: (name: typeof lists[number]) => readonly string[],
): Data {
  const bundle = (of: string, pem: string) => {
    const all = [...new Set([...certificatesOf(found[of] ?? ""), ...certificatesOf(pem)])].join("");
    return all === "" ? {} : { [of]: all };
  };
  const list = (of: typeof lists[number]) => {
    const all = [...new Set([...stringsOf(found[of]), ...listOf(of)])];
    return of === "requestheader-uid-headers" && all.length === 0 ? {} : { [of]: valueText(all) };
  };
  const front = bundle("requestheader-client-ca-file", frontProxyCa);
  return {
    ...found,
    ...bundle("client-ca-file", clientCa),
    ...front,
    ...(Object.keys(front).length === 0 ? {} : Object.assign({}, ...lists.map(list)) as Data), // of texts
  };
}
type Trust = Awaited<ReturnType<ControllerContext["clientTrust"]>>;

/** The certificates of a bundle, each with its lines and without what is between them. */
function certificatesOf(bundle: string): readonly string[] {
  const begin = "-----BEGIN CERTIFICATE-----", end = "-----END CERTIFICATE-----";
  return bundle.split(begin).slice(1).flatMap((rest) => {
    const at = rest.indexOf(end);
    return at < 0 ? [] : [`${begin}${rest.slice(0, at).replaceAll("\r", "")}${end}\n`];
  });
}

/** The strings of a list in JSON; none if it is no such list, which is then replaced. */
function stringsOf(text: string | undefined): readonly string[] {
  try {
    const value: unknown = plainJson(text ?? "[]");
    return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : [];
  } catch {
    return [];
  }
}

async function publish({ api, setting, clientTrust }: ControllerContext): Promise<void> {
  const trust = await clientTrust();
  if (trust.clientCa === "" && trust.frontProxyCa === "") return;
  const found = await api.get("v1", "configmaps", namespace, name).catch((error: unknown) => {
    if (!(error instanceof StatusError && error.reason === "NotFound")) throw error;
  }) as InfoMap | undefined; // the type of the resource
  const data = mergedData(found?.data ?? {}, trust, (each) => setting(key(each)));
  if (found === undefined) await api.create("v1", "configmaps", namespace, { metadata: { name }, data });
  else if (!sameValue(found.data, data)) await api.update("v1", "configmaps", namespace, name, { ...found, data });
}

export const authenticationInfo: StartHook = Object.freeze<StartHook>({
  name: "start-cluster-authentication-info-controller",
  fieldManager: "kube-apiserver",
  run: () => Promise.resolve(),
  async follow(world, signal) {
    const { api, logError } = world;
    if (!isServed(world, { groupVersion: "v1", resource: "configmaps" })) return;
    const work = async (only: string, queue: { addAfter(key: string, milliseconds: number): void }) => {
      queue.addAfter(only, againMs);
      try {
        await publish(world);
      } catch (error) {
        // The namespace may be made after this, and another server may write at the same time.
        if (!(error instanceof StatusError && ["NotFound", "AlreadyExists", "Conflict"].includes(error.reason))) throw error;
        queue.addAfter(only, 1000);
      }
    };
    await runWorkQueue({ context: world, signal, work }, async (queue, until) => {
      queue.add(name);
      for await (const _ of api.watch("v1", "configmaps", namespace, { fieldSelector: `metadata.name=${name}` }, until)) queue.add(name);
    }).catch((error: unknown) => {
      if (!signal.aborted) logError(`the ConfigMap ${namespace}/${name} is not followed`, error);
    });
  },
});
