/**
 * Asks a server whether it is well, for container images and pods: `healthcheck.ts URL [--ca-file=FILE] [--token-file=FILE]`. Ends with 0
 * where the answer is 200, with 1 and one line that says why where it is not, after five seconds at the latest. Without an authority
 * the certificate is not verified: for asking the server of the own container.
 */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import process from "node:process";

const answerMs = 5_000;

function valueOf(args: readonly string[], flag: string): string | undefined {
  return args.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
}

/** The status and text that a GET of `url` is answered with. */
function ask(url: string, ca: string | undefined, token: string | undefined): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent: false,
      // An empty list, because Deno asks for a permission before it reads the authorities of the machine.
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
    sent.setTimeout(answerMs, () => sent.destroy(new Error(`no answer within ${answerMs} ms`)));
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
  const { status, text } = await ask(url, ca, token);
  if (status !== 200) throw new Error(`${status} ${text.trim()}`);
  console.log(text.trim());
}

main().then(() => process.exit(0), (error: unknown) => {
  console.error(`unhealthy: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
