/** A program of a test, in a network namespace of its own: a pod with an address, and a server that proxies to it. Prints the replies as JSON. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { startTestServer } from "../harness.ts";
import { httpsClient } from "../https.ts";

const [address = ""] = process.argv.slice(2);
const pod = createServer((request, response) => {
  if (request.url === "/page") response.setHeader("content-type", "text/html").end("<a href=/next>");
  else response.end(`${request.method} ${request.url} ${request.headers["x-forwarded-uri"]}`);
});
await new Promise<void>((resolve) => void pod.listen(0, address, resolve));
const { port } = pod.address() as AddressInfo; // it listens on TCP
const server = await startTestServer({ args: ["--disable-admission-plugins=ServiceAccount"] });
const client = httpsClient({ ...server, token: server.tokens.admin });
const namespace = "/api/v1/namespaces/default", merge = { "content-type": "application/merge-patch+json" };

async function make(path: string, body: object, status?: object): Promise<void> {
  const name = (body as { readonly metadata: { readonly name: string } }).metadata.name; // each has one
  const made = await client.ask(path, { method: "POST", body });
  const set = status === undefined
    ? made
    : await client.ask(`${path}/${name}/status`, { method: "PATCH", headers: merge, body: { status } });
  if (set.status >= 300) throw new Error(set.text);
}

await make("/api/v1/nodes", { metadata: { name: "n" } }, { addresses: [{ type: "InternalIP", address }] });
const spec = { nodeName: "n", containers: [{ name: "c", image: "a", ports: [{ containerPort: port }] }] };
await make(`${namespace}/pods`, { metadata: { name: "web" }, spec }, { podIP: address, podIPs: [{ ip: address }] });
await make(`${namespace}/services`, { metadata: { name: "web" }, spec: { ports: [{ port: 80, targetPort: port }] } });
const targetRef = { kind: "Pod", namespace: "default", name: "web" };
await make(`${namespace}/endpoints`, {
  metadata: { name: "web" },
  subsets: [{ addresses: [{ ip: address, targetRef }], ports: [{ port }] }],
});
const replies: (readonly [status: number, text: string])[] = [];
for (
  const path of [`${namespace}/pods/web`, `${namespace}/pods/web:${port}`, `${namespace}/services/web:80`, `/api/v1/nodes/http:n:${port}`]
) {
  for (const below of ["a/b?c=d", "page"]) {
    const { status, text } = await client.ask(`${path}/proxy/${below}`);
    replies.push([status, text.replaceAll(String(port), "PORT")]);
  }
}
process.stdout.write(`\n${JSON.stringify(replies)}\n`);
client.close();
await server.close();
pod.close();
process.exit(0);
