/** ComponentStatus: whether the parts of a control plane are healthy, as this server finds when it is asked. Deprecated, and only read. */
import {
  type Column,
  defineResource,
  field,
  type Infer,
  mapBy,
  nameColumn,
  notFoundError,
  object,
  string,
  structsOf,
} from "../../plugin.ts";
import { named, PeerError, type Peers, type SettingKey } from "../../toolbox.ts";
import { bound } from "../../core/bound.ts";

const struct = structsOf("core/v1");

/** Milliseconds until a component must have answered, as in kube-apiserver. */
export const componentAnswerMs = bound(20_000);
/** Bytes of an answer that are shown, as in kube-apiserver; the rest is left out. */
export const componentAnswerBytesMax = bound(10 * 1024);

const ComponentCondition = struct("ComponentCondition", {
  type: field(1, named("v1.ComponentConditionType", string), "The type of the condition: Healthy.", { required: true }),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  message: field(3, string, "What the component has answered, or why it could not be asked."),
  error: field(4, string, "The error of the check."),
}, { doc: "A condition of a component." });

const ComponentStatus = object("ComponentStatus", {
  conditions: field(2, mapBy(["type"], ComponentCondition), "The conditions of the component.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
}, { package: "core/v1", doc: "The health of a part of the control plane. It is found when it is read." });
type ComponentStatus = Infer<typeof ComponentStatus>;
type Condition = Omit<Infer<typeof ComponentCondition>, "type">;

function column(name: string, cell: (healthy: Condition | undefined) => string | undefined): Column<ComponentStatus> {
  return {
    name,
    type: "string",
    description: `${name} of the condition Healthy.`,
    cell: ({ conditions = [] }) => cell(conditions.find(({ type }) => type === "Healthy")) ?? "",
  };
}
const columns: readonly Column<ComponentStatus>[] = [
  nameColumn,
  column("Status", (healthy) => healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy"),
  column("Message", (healthy) => healthy?.message),
  column("Error", (healthy) => healthy?.error),
];

const etcdSetting: SettingKey<"list"> = Object.freeze({ name: "etcd-servers", kind: "list" });
/** The ports at which the components listen by default. Upstream has no setting for them either. */
const ports: Readonly<Record<string, number>> = Object.freeze({ "controller-manager": 10_257, scheduler: 10_259 });

export const componentStatuses = defineResource<ComponentStatus>({
  kind: "ComponentStatus",
  plural: "componentstatuses",
  scope: "Cluster",
  shortNames: ["cs"],
  summary: "The health of the controller manager, the scheduler and the store, found when it is read. Deprecated.",
  storedAs: "v1",
  served: { v1: { schema: ComponentStatus, introduced: "1.0", deprecated: "1.19", columns } },
  async compute({ requestName, allocation: { setting, records } }, peers) {
    const stores = Array.from({ length: Math.max(1, setting(etcdSetting).length) }, (_, index) => `etcd-${index}`);
    const names = ["controller-manager", ...stores, "scheduler"],
      wanted = names.filter((name) => requestName === "" || name === requestName);
    // Upstream's text has the singular.
    if (wanted.length === 0) throw notFoundError({ group: "", name: "componentstatus" }, requestName);
    return await Promise.all(wanted.map(async (name) => {
      const port = ports[name],
        found = await (port === undefined ? storeHealth(() => records.get("health")) : componentHealth(peers, port));
      return { kind: "ComponentStatus", apiVersion: "v1", metadata: { name }, conditions: [{ type: "Healthy", ...found }] };
    }));
  },
});

/** Servers of one etcd are reached by one client: all of them are healthy if it can read. */
async function storeHealth(read: () => Promise<unknown>): Promise<Condition> {
  try {
    await read();
    return { status: "True", message: "ok" };
  } catch (error) {
    return { status: "False", error: textOf(error) };
  }
}

/** Asks a component on this machine. Its certificate is not verified, as in kube-apiserver. */
export async function componentHealth(
  peers: Peers,
  port: number,
  signal: AbortSignal = AbortSignal.timeout(componentAnswerMs),
): Promise<Condition> {
  const url = `https://127.0.0.1:${port}/healthz`;
  try {
    const { status, body } = await peers.ask({ method: "GET", url, headers: { accept: "*/*", connection: "close" }, access: {}, signal });
    const text = await headOf(body);
    if (status >= 400 || status < 200) return { status: "False", message: `HTTP probe failed with statuscode: ${status}` };
    if (status >= 300) return { status: "Unknown", message: `Probe terminated redirects, Response body: ${text}` };
    return { status: "True", ...(text === "" ? {} : { message: text }) };
  } catch (error) {
    const late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    return {
      status: "False",
      message: `Get "${url}": ${error instanceof PeerError ? error.message : signal.aborted ? late : textOf(error)}`,
    };
  }
}

async function headOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "", left = componentAnswerBytesMax;
  for await (const piece of body) {
    text += decoder.decode(piece.subarray(0, left), { stream: true });
    left -= piece.length;
    if (left <= 0) break;
  }
  return text + decoder.decode();
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
