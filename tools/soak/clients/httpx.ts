/** httpx of Python, in a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { run } from "../../../test/real-server.ts";
import { type Report, type SoakClient, untilOver } from "../client.ts";
import { namespace } from "../objects.ts";

const script = fileURLToPath(new URL("httpx-client.py", import.meta.url));
const python = process.env["THOLE_SOAK_PYTHON"] ?? "python3";
const pauseMs = 3_000;

export const httpx: SoakClient = {
  name: "python, httpx",
  async missing() {
    const { code } = await run(python, ["-c", "import httpx, h2"]).catch(() => ({ code: 1 }));
    return code === 0 ? undefined : `no ${python} with httpx[http2]; THOLE_SOAK_PYTHON names another one`;
  },
  async run({ url, caFile, token, pace }, tally, signal) {
    const child = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
    const exited = once(child, "exit");
    child.stdin.on("error", () => {}); // It has ended: its exit code is a fault.
    child.stdin.write(`${JSON.stringify({ url, caFile, token, namespace, pauseMs: pauseMs * pace })}\n`);
    let output = "";
    child.stdout.on("data", (text) => output += String(text));
    await untilOver(signal);
    child.stdin.end();
    const [code] = await exited;
    if (code !== 0) return tally.fault(`it ended with ${code}`);
    tally.add(JSON.parse(output) as Report); // `as`: the script prints it.
  },
};
