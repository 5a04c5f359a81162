/** A client whose requests are parts of the running request's trace. */
import type { SpanAttributes, Tracing } from "../../kernel/observe/tracing.ts";
import type { RemoteClient } from "../../protocols/remote/remote-client.ts";

/** `client` with a span of this name for each request that is sent; `client` itself without tracing. Streams are not traced. */
export function tracedClient(
  client: RemoteClient,
  name: string,
  attributes: SpanAttributes,
  tracing: Pick<Tracing, "call" | "headers"> | undefined,
): RemoteClient {
  if (tracing === undefined) return client;
  return {
    send: (request) =>
      tracing.call(name, attributes, () => client.send({ ...request, headers: { ...request.headers, ...tracing.headers() } })),
    stream: (path, signal) => client.stream(path, signal),
    close: () => client.close(),
  };
}
