/** A websocket that carries the bytes of SPDY: the kubelet gets what is in the messages, and its bytes become messages. */
import { type ConnectReply, type ConnectRequest, type Destination, passOn } from "../../../../toolbox.ts";
import { StatusError } from "../../../../plugin.ts";
import { ClientFrames, streamRules } from "../../../../protocols/websocket/client-frames.ts";
import { closeCode } from "../../../../protocols/websocket/server-frames.ts";
import { joined } from "../../../../protocols/spdy/frames.ts";
import { accepted, isSpdy, spdyOffer, tunneledProtocols, tunnelOf } from "./offer.ts";
import { Outbox } from "./outbox.ts";

/** Offers the kubelet the protocols that are within the websocket. Its refusal is the reply. `answered` gets the code of its answer. */
export async function tunnel(request: ConnectRequest, to: Destination, answered: (code: number) => void): Promise<ConnectReply> {
  const own = Object.entries(request.headers).filter(([name]) => !name.startsWith("sec-websocket-"));
  const headers = { ...Object.fromEntries(own), ...spdyOffer(tunneledProtocols(request)) };
  const reply = await passOn({ ...request, method: "POST", headers }, to), { channel, body } = reply;
  answered(channel === undefined || isSpdy(reply) ? reply.status : 500);
  if (channel === undefined) return reply;
  if (!isSpdy(reply)) {
    channel.close();
    throw new StatusError("Unknown", "unable to upgrade: missing upgrade headers in response", { code: 500 });
  }
  const outbox = new Outbox(), parts: Uint8Array[] = [], frames = new ClientFrames(streamRules((part) => parts.push(part)));
  // The content of an upgraded reply is a stream.
  void carry(body as AsyncIterable<Uint8Array>, outbox);
  const chosen = [reply.headers?.["x-stream-protocol-version"] ?? []].flat()[0];
  return {
    ...accepted(request, chosen === undefined ? undefined : tunnelOf(chosen)),
    body: outbox,
    channel: {
      send(piece) {
        const { pong, close } = frames.read(piece), sent = parts.splice(0);
        if (pong !== undefined) outbox.pong(pong);
        const wait = sent.length === 0 ? undefined : channel.send(joined(sent));
        if (close === undefined) return wait;
        outbox.close(close);
        channel.close();
        return undefined;
      },
      close: () => channel.close(),
    },
  };
}

/** Makes a message of each piece. The connection is closed when the client's is, which ends the pieces. */
async function carry(received: AsyncIterable<Uint8Array>, outbox: Outbox): Promise<void> {
  for await (const piece of received) {
    outbox.message(piece);
    await outbox.taken();
  }
  outbox.close(closeCode.normal);
}
