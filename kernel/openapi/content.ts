/** Bytes with an ETag, as Go's http.ServeContent hands them out: conditions and one range (RFC 9110 sections 13 and 14). */
import { header } from "../call.ts";
import type { Exchange, Reply } from "../exchange.ts";

type Headers = Readonly<Record<string, string>>;

/** 200, 206, 304, 412 or 416. Encoded bytes are never cut into ranges. */
export function content(exchange: Exchange, bytes: Uint8Array, headers: Headers & { readonly etag: string }, encoding?: "gzip"): Reply {
  const refused = condition(exchange, headers.etag);
  if (refused === 304) {
    const { "content-type": _, ...rest } = headers;
    return { status: 304, headers: rest, body: "" };
  }
  if (refused === 412) return { status: 412, headers, body: "" };
  if (encoding !== undefined) return { status: 200, headers: { ...headers, "content-encoding": encoding }, body: bytes };

  const ifRange = header(exchange, "if-range");
  const asked = ifRange === "" || ifRange === headers.etag ? header(exchange, "range") : "";
  const range = rangeOf(asked, bytes.length);
  const whole = { status: 200, headers: { ...headers, "accept-ranges": "bytes" }, body: bytes };
  if (range === undefined) return whole;
  if ("error" in range) {
    const said = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
    return { status: 416, headers: { vary: "Accept", ...said, "content-range": `bytes */${bytes.length}` }, body: `${range.error}\n` };
  }
  const { from, to } = range;
  return {
    status: 206,
    headers: { ...whole.headers, "content-range": `bytes ${from}-${to - 1}/${bytes.length}` },
    body: bytes.subarray(from, to),
  };
}

function condition(exchange: Exchange, etag: string): 304 | 412 | undefined {
  const tags = (name: string) => header(exchange, name).split(",").map((tag) => tag.trim()).filter((tag) => tag !== "");
  const wanted = tags("if-match");
  if (wanted.length > 0 && !wanted.includes("*") && !wanted.includes(etag)) return 412;
  const had = tags("if-none-match").map((tag) => tag.replace(/^W\//, ""));
  if (!had.includes("*") && !had.includes(etag)) return undefined;
  return exchange.method === "GET" || exchange.method === "HEAD" ? 304 : 412;
}

/** The one range that is asked for, its end excluded. Several are answered with everything, which is allowed. */
function rangeOf(asked: string, size: number): { from: number; to: number } | { error: string } | undefined {
  if (asked === "") return undefined;
  if (!asked.startsWith("bytes=")) return { error: "invalid range" };
  const specs = asked.slice("bytes=".length).split(",").map((spec) => spec.trim()).filter((spec) => spec !== "");
  if (specs.length !== 1) return undefined;
  const match = /^(\d*)-(\d*)$/.exec(specs[0]!);
  if (match === null || specs[0] === "-") return { error: "invalid range" };
  const [first = "", last = ""] = match.slice(1);
  if (first === "") return { from: Math.max(0, size - Number(last)), to: size };
  const from = Number(first);
  if (last !== "" && Number(last) < from) return { error: "invalid range" };
  if (from >= size) return { error: "invalid range: failed to overlap" };
  return { from, to: last === "" ? size : Math.min(size, Number(last) + 1) };
}
