/** The listener of `thole record`. */
import { systemClock } from "../../core/async.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { StatusError, statusOf } from "../../core/status-error.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { valueText } from "../../core/value-text.ts";
import { type Exchange, header, type Reply } from "../../kernel/request/exchange.ts";
import { requestInfo } from "../../kernel/request/request-info.ts";
import { silentLog } from "../../kernel/observe/log.ts";
import { withDefaults } from "../../server/config/parse.ts";
import { namesOf } from "../../server/config/plugin-settings.ts";
import { listen } from "../../server/listen/listener.ts";
import { kubeconfig, serverUrl } from "../../server/listen/pki.ts";
import { openCredentials } from "../../server/startup/credentials.ts";
import type { KnownRequest } from "../../testing/faults/rule.ts";
import { type Recorder, recordings } from "../../testing/recording/recorder.ts";
import type { Cluster } from "./cluster.ts";

const loopback = "127.0.0.1";
/** Milliseconds that requests in progress have at the end. */
const graceMs = 500;

/** A proxy that records. */
export interface Proxy {
  readonly url: string;
  /** The text of its kubeconfig, with a private key that is of no use elsewhere. */
  readonly kubeconfig: string;
  readonly recording: Recorder;
  close(): Promise<void>;
}

/** Listens on loopback, for clients with the certificate of the kubeconfig only. */
export async function openProxy(cluster: Cluster, port: number, failed: (text: string) => void): Promise<Proxy> {
  const config = withDefaults({ "data-dir": ":memory:" }, []);
  const { tls, pki, ownCa = tls.cert } = await openCredentials(config, { now: systemClock.now, log: silentLog, renewsOwn: true });
  const { record, recorded } = recordings(systemClock.now), recording = record();
  const listener = await listen({
    address: { host: loopback, port },
    tls,
    handle: (exchange) => handled(exchange, cluster, recorded),
    reports: { error: (error) => failed(reasonOf(error)), notice: failed, failed: (error) => failed(reasonOf(error)) },
  });
  const url = serverUrl(loopback, listener.port);
  return { url, kubeconfig: kubeconfig(url, ownCa, pki.admin, namesOf(config)), recording, close: () => listener.close(graceMs) };
}

async function handled(exchange: Exchange, cluster: Cluster, recorded: ReturnType<typeof recordings>["recorded"]): Promise<Reply> {
  if (exchange.peer === undefined) {
    return refused(new StatusError("Unauthorized", "thole record takes the certificate of its kubeconfig only"));
  }
  if (exchange.offersUpgrade === true || exchange.offersWebSocket === true) {
    const text =
      "thole record passes no exec, attach, port-forward and other changes of protocol: use the kubeconfig of the cluster for them";
    return refused(new StatusError("MethodNotAllowed", text));
  }
  return await recorded(exchange, async (each, known) => {
    const request = knownOf(each, cluster.user);
    if (request !== undefined) known(request);
    try {
      return await cluster.answer(each);
    } catch (error) {
      if (error instanceof StatusError) return refused(error);
      if (each.signal.aborted) throw error;
      return refused(new StatusError("ServiceUnavailable", `thole record got no answer of the cluster: ${reasonOf(error)}`));
    }
  });
}

/** What is recorded of a request. One that impersonates is recorded as the other user's. */
function knownOf(exchange: Exchange, user: UserInfo): KnownRequest | undefined {
  const info = requestInfo(exchange.method, exchange.url);
  if (info === undefined) return undefined;
  const other = header(exchange, "impersonate-user"), groups = [exchange.headers["impersonate-group"] ?? []].flat();
  const by = other === "" ? user : { name: other, groups: [...groups, "system:authenticated"] };
  const applies = info.verb === "patch" && header(exchange, "content-type").startsWith("application/apply-patch");
  return { user: by.name, groups: by.groups ?? [], info, applies };
}

function refused(error: StatusError): Reply {
  return { status: error.code, headers: { "content-type": "application/json" }, body: valueText(statusOf(error)) };
}
