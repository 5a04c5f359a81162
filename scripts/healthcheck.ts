/**
 * Checks the health of a server, for container images and pods: `healthcheck.ts URL [--ca-file=FILE] [--token-file=FILE]`. Exits with
 * 0 if the status is 200, else with 1 and one line with the reason. The timeout is five seconds. Without `--ca-file` the server's
 * certificate is not verified, which is meant for the server in the same container.
 */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import process from "node:process";

const responseMs = 5_000;

function valueOf(args: readonly string[], flag: string): string | undefined {
  return args.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
}

/** Sends a GET and resolves with the status and the first 2000 characters of the body. */
function get(url: string, ca: string | undefined, token: string | undefined): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent: false,
      // An empty list, because Deno needs a permission to read the machine's certificate authorities.
      ...(ca === undefined ? { rejectUnauthorized: false, ca: [] } : { ca }),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part) => text = (text + part).slice(0, 2000));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.setTimeout(responseMs, () => sent.destroy(new Error(`no response within ${responseMs} ms`)));
    sent.end();
  });
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const url = args.find((word) => !word.startsWith("--"));
  if (url === undefined) throw new Error("usage: healthcheck.ts URL [--ca-file=FILE] [--token-file=FILE]");
  const [ca, token] = ["--ca-file", "--token-file"].map((flag) => {
    const path = valueOf(args, flag);
    return path === undefined ? undefined : readFileSync(path, "utf8").trim();
  });
  const { status, text } = await get(url, ca, token);
  if (status !== 200) throw new Error(`${status} ${text.trim()}`);
  console.log(text.trim());
}

main().then(() => process.exit(0), (error: unknown) => {
  console.error(`unhealthy: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
