/** curl over HTTP/2 and HTTP/1.1: reads, writes, compressed lists, slow readers, and transfers that end early. */
import { spawnSync } from "node:child_process";
import { run } from "../../../test/real-server.ts";
import { expect, repeat, type SoakClient, type Tally, type Target } from "../client.ts";
import { longList, namespace } from "../objects.ts";

const roundMs = 10_000;
/** Exit code after --max-time. */
const timedOut = 28;
const path = `/api/v1/namespaces/${namespace}/configmaps`;

interface Call {
  readonly what: string;
  readonly flags: readonly string[];
  readonly path: string;
  readonly status: number;
  /** Exit code; default: 0. */
  readonly code?: number;
  check?(text: string): boolean;
}

const json = ["-H", "Content-Type: application/json"];
const calls: readonly Call[] = [
  { what: "create", flags: [...json, "-d", '{"metadata":{"name":"curl"},"data":{"a":"b"}}'], path, status: 201 },
  { what: "read", flags: [], path: `${path}/curl`, status: 200, check: (text) => JSON.parse(text).data.a === "b" },
  { what: "replace", flags: [...json, "-X", "PUT", "-d", '{"metadata":{"name":"curl"}}'], path: `${path}/curl`, status: 200 },
  { what: "long list, compressed", flags: ["--compressed"], path: longList.path, status: 200, check: isLongList },
  { what: "delete", flags: ["-X", "DELETE"], path: `${path}/curl`, status: 200 },
  // 2 MB at 200 kB a second.
  { what: "slow reader", flags: ["--limit-rate", "200k"], path: longList.path, status: 200, check: isLongList },
  { what: "watch that ends early", flags: ["--max-time", "2"], path: `${path}?watch=1`, status: 200, code: timedOut },
  { what: "nothing there", flags: [], path: `${path}/missing`, status: 404 },
];

export const curl: SoakClient = {
  name: "curl",
  missing() {
    const { status, stdout } = spawnSync("curl", ["--version"], { encoding: "utf8", timeout: 5_000 });
    return Promise.resolve(status !== 0 ? "no curl on PATH" : stdout.includes("HTTP2") ? undefined : "this curl speaks no HTTP/2");
  },
  run: (target, tally, signal) =>
    repeat({ what: "curl", pauseMs: roundMs, target, tally, signal }, async (turn) => {
      // A round of all calls for each protocol.
      const [flag, version] = Math.floor(turn / calls.length) % 4 === 3 ? ["--http1.1", "1.1"] as const : ["--http2", "2"] as const;
      await call(calls[turn % calls.length]!, [flag, version], target, tally);
    }),
};

async function call(
  { what, flags, path, status, code = 0, check }: Call,
  [flag, version]: readonly [string, string],
  { url, caFile, token }: Target,
  tally: Tally,
): Promise<void> {
  const common = ["-sS", flag, "--cacert", caFile, "-H", `Authorization: Bearer ${token}`, "-w", "\n%{http_code} %{http_version}"];
  const ran = await run("curl", [...common, "--max-time", "60", ...flags, url + path]);
  expect(ran.code === code, `${what}: curl ended with ${ran.code}: ${ran.errors}`);
  const cut = ran.output.lastIndexOf("\n"), [got, spoken] = ran.output.slice(cut + 1).split(" ");
  expect(Number(got) === status, `${what} was answered with ${got}`);
  if (spoken !== version) tally.fault(`${what}: HTTP/${spoken}, not HTTP/${version}`);
  if (check !== undefined && !check(ran.output.slice(0, cut))) tally.fault(`${what}: another body`);
  tally.count(`HTTP/${version}`);
}

function isLongList(text: string): boolean {
  return JSON.parse(text).items.length === longList.count;
}
