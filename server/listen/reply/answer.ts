/** The way of one request, the same for all protocols: the handler, the rest of the request's body, the reply. */
import { internalError, type StatusError, statusOf } from "../../../core/status-error.ts";
import { valueText } from "../../../core/value-text.ts";
import type { Exchange, Reply } from "../../../kernel/request/exchange.ts";
import type { Connection, Connections } from "../connections.ts";
import type { TlsContext } from "../tls-context.ts";
import type { PendingChunks } from "./pending-chunks.ts";
import { sendReply } from "./send.ts";
import { discardReply, type ReplySink } from "./sink.ts";

/** State shared by the requests of one listener. */
export interface Serving {
  /** Whether HTTP/1.1 clients are asked to reconnect. */
  draining: boolean;
  readonly connections: Connections;
  /** The chunks of watches on all connections. */
  readonly pending: PendingChunks;
  readPeer: TlsContext["readPeer"];
  handle(exchange: Exchange): Promise<Reply>;
  report(error: unknown): void;
}

/** A request whose head was received. */
export interface Incoming {
  readonly connection: Connection;
  readonly exchange: Exchange;
  readonly sink: ReplySink;
  /** Whether nothing can be sent any more: the client has reset the request, or disconnected. */
  readonly isOver: () => boolean;
  /** Reads and discards what the client still sends of the request, within bounds, so that it can read the reply. */
  readonly discardRest: () => Promise<void> | undefined;
  /** Sends a reply of messages, after the client has offered a websocket. */
  readonly sendMessages?: ((reply: Reply) => Promise<void>) | undefined;
}

/** Answers one request. Never rejects. Returns whether the whole reply was passed to the connection. */
export async function answer(incoming: Incoming, serving: Serving, handle = serving.handle): Promise<boolean> {
  const { connection, exchange, sink, isOver, discardRest, sendMessages } = incoming;
  const reply = await replyTo(exchange, handle, serving);
  if (isOver()) return discarded(reply);
  if (reply.isDropped === true) return sink.breakOff(), false;
  try {
    if (sendMessages !== undefined && (reply.messages ?? reply.channel) !== undefined) {
      await sendMessages(reply);
      return true;
    }
    if (reply.goAway === true) serving.connections.sendAway(connection);
    const rest = discardRest();
    if (rest !== undefined) {
      await rest;
      if (isOver()) return discarded(reply);
    }
    await sendReply(sink, reply, exchange.method === "HEAD", exchange, serving.pending);
    return true;
  } catch (error) {
    serving.report(error);
    sink.breakOff();
    return false;
  }
}

function discarded(reply: Reply): false {
  discardReply(reply);
  return false;
}

/** The reply of the handler; of an internal error if it throws. */
async function replyTo(exchange: Exchange, handle: Serving["handle"], { report }: Serving): Promise<Reply> {
  try {
    return await handle(exchange);
  } catch (error) {
    report(error);
    return statusReply(internalError("the request could not be answered"));
  }
}

/** An answer that consists of the Status of an error. */
export function statusReply(error: StatusError): { status: number; headers: Record<string, string>; body: string } {
  const headers = { "content-type": "application/json", "cache-control": "no-cache, private" };
  return { status: error.code, headers, body: valueText(statusOf(error)) + "\n" };
}
