/** `/metrics` and `/metrics/slis`, as text or in Prometheus' protobuf format. */
import { type Exchange, header, type Reply } from "../../kernel/request/exchange.ts";
import { compressAny } from "../../kernel/respond/compress.ts";
import { protobufMetrics, protobufOf, wantsProtobuf } from "../metrics/protobuf.ts";

/** Undefined for other paths. `text`: a scrape, of all metrics or of the service level indicators. */
export async function metricsReply(
  exchange: Exchange,
  path: string,
  text: (which?: "slis") => Promise<string>,
  contentType: string,
): Promise<Reply | undefined> {
  if (path !== "/metrics" && path !== "/metrics/slis") return undefined;
  const body = await text(path === "/metrics" ? undefined : "slis");
  const reply = wantsProtobuf(header(exchange, "accept"))
    ? { status: 200, headers: { "content-type": protobufMetrics }, body: protobufOf(body) }
    : { status: 200, headers: { "content-type": contentType }, body };
  return compressAny(exchange, reply);
}
