/** `/metrics` and `/metrics/slis`, as text or in Prometheus' protobuf formats; DELETE starts the metrics again, as kube-apiserver does. */
import { type Exchange, header, type Reply } from "../../kernel/request/exchange.ts";
import { compressAny } from "../../kernel/respond/compress.ts";
import { protobufFormat, protobufReply } from "../metrics/protobuf.ts";

export interface MetricsNeeds {
  /** A scrape, of all metrics or of the service level indicators. */
  readonly text: (which?: "slis") => Promise<string>;
  readonly restart: (which?: "slis") => Promise<void>;
  readonly contentType: string;
}

/** Undefined for other paths. */
export async function metricsReply(
  exchange: Exchange,
  path: string,
  { text, restart, contentType }: MetricsNeeds,
): Promise<Reply | undefined> {
  if (path !== "/metrics" && path !== "/metrics/slis") return undefined;
  const which = path === "/metrics" ? undefined : "slis";
  if (exchange.method === "DELETE") {
    await restart(which);
    return { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: "metrics reset\n" };
  }
  const body = await text(which), format = protobufFormat(header(exchange, "accept"));
  const reply = format === undefined ? { status: 200, headers: { "content-type": contentType }, body } : protobufReply(body, format);
  return compressAny(exchange, reply);
}
