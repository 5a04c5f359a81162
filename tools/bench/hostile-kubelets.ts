/** Requests for pods and nodes whose kubelet answers in hostile ways. */
import { type Answers, document, endless, type PeerAnswer } from "./hostile-peer.ts";
import type { Before, HostileRequest } from "./hostile-request.ts";

const json = "application/json", pod = "/api/v1/namespaces/default/pods/hostile";
/** Bytes of an answer that is passed on whole. */
const passedBytes = 4 * 1024 * 1024;
/** Seconds for which sessions are measured. */
const sessionSeconds = 3;

const before: readonly Before[] = [
  {
    path: "/api/v1/nodes",
    body: (_share, peer) => {
      const addresses = [{ type: "InternalIP", address: "127.0.0.1" }], Port = Number(new URL(peer?.url ?? "").port);
      return JSON.stringify({ metadata: { name: "hostile" }, status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port } } } });
    },
  },
  {
    path: "/api/v1/namespaces/default/pods",
    body: () => JSON.stringify({ metadata: { name: "hostile" }, spec: { nodeName: "hostile", containers: [{ name: "c", image: "a" }] } }),
  },
];

function asked(name: string, path: string, answers: Answers, more: Partial<HostileRequest> = {}): HostileRequest {
  return {
    ...{ name: `kubelet, ${name}`, method: "GET", path, type: json, body: () => "", before, peer: answers },
    flags: ["--disable-admission-plugins=ServiceAccount"],
    ...more,
  };
}
const logs = (name: string, answer: PeerAnswer) => asked(`logs, ${name}`, `${pod}/log`, () => answer);
/** A session over a websocket, which this server translates into frames of SPDY. */
function session(name: string, answer: PeerAnswer): HostileRequest {
  const headers = {
    ...{ "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13" },
    ...{ "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol": "v5.channel.k8s.io" },
  };
  const path = `${pod}/exec?command=a&stdout=true&container=c`;
  return asked(`session, ${name}`, path, () => answer, { headers, sessionSeconds });
}

const finite = ({ first, endless = "" }: PeerAnswer): PeerAnswer => ({ first, endless, times: Math.floor(passedBytes / endless.length) });
const hugeHead: PeerAnswer = { first: "HTTP/1.1 200 OK\r\n", endless: `X-${"a".repeat(60)}: ${"b".repeat(900)}\r\n`.repeat(60) };
const extensions: PeerAnswer = {
  first: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
  endless: `1;a=${"b".repeat(50)}\r\na\r\n`.repeat(1_000),
};
const switched =
  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v5.channel.k8s.io\r\n\r\n";
/** A control frame of SPDY/3.1 whose length is one byte. */
const control = (kind: number, content: string) =>
  Buffer.from(`\x80\x03\0${String.fromCharCode(kind)}\0\0\0${String.fromCharCode(content.length)}${content}`, "latin1");
/** A frame again and again, after the change of protocol. */
const flood = (frame: Buffer): PeerAnswer => ({ first: switched, endless: Buffer.concat(Array.from({ length: 2_000 }, () => frame)) });

export const kubeletRequests: readonly HostileRequest[] = Object.freeze([
  logs("endless informational answers", endless.informational),
  logs("headers without end", hugeHead),
  logs("chunks of three bytes", finite(endless.chunks)),
  logs("chunk extensions without end", extensions),
  logs("an error of 4 MB", {
    ...document({}),
    first: `HTTP/1.1 500 E\r\nContent-Length: ${passedBytes}\r\n\r\n${"a".repeat(passedBytes)}`,
  }),
  session("endless informational answers", endless.informational),
  session("headers without end", hugeHead),
  session("bytes that are no frames", { first: switched, endless: "a".repeat(65_536) }),
  session("pings", flood(control(6, "\0\0\0\x02"))),
  session("settings", flood(control(4, "\0\0\0\0"))),
  session("resets of streams that are not there", flood(control(3, "\0\0\0\x7f\0\0\0\x05"))),
  session("output without end", flood(Buffer.concat([Buffer.of(0, 0, 0, 3, 0, 0, 4, 0), Buffer.alloc(1024, 97)]))),
  session("pieces of one byte", flood(Buffer.of(0, 0, 0, 3, 0, 0, 0, 1, 97))),
]);
