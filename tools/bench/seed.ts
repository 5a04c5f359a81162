/** Creates the objects that are there during the measurements. */
import { readFileSync } from "node:fs";
import { openConnection } from "./connection.ts";
import type { Generator } from "./generator.ts";
import type { LoadKind } from "./requests.ts";
import { clients, collections } from "./scenarios.ts";
import { jobFor, type Target } from "./target.ts";

const secondsMax = 300;

/** `share` of the objects: 0.01 for one in a hundred. */
export async function seed(target: Target, generator: Generator, share: number): Promise<void> {
  for (const { namespace, count, written = "ConfigMap", bytes } of collections) {
    if (namespace !== "default") await makeNamespace(target, namespace);
    const wanted = Math.ceil(count * share);
    if (wanted === 0) continue;
    const path = `/api/v1/namespaces/${namespace}/${written === "Pod" ? "pods" : "configmaps"}`;
    const seedBy = async (kind: LoadKind): Promise<void> => {
      const wish = { kind, path, clients, objects: wanted, written, ...(bytes === undefined ? {} : { bytes }) };
      const seeded = await generator.load({ ...jobFor(target, wish, secondsMax, "seed"), count: wanted });
      if (seeded.failed > 0 || seeded.requests < wanted) {
        throw new Error(`Of ${seeded.requests} requests that make objects of the kind ${written}, ${seeded.failed} failed`);
      }
    };
    await seedBy("seed");
    if (written === "Pod") await seedBy("pod status");
  }
}

async function makeNamespace({ port, ca, token }: Target, name: string): Promise<void> {
  const connection = await openConnection({ port, ca: readFileSync(ca, "utf8") });
  const body = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"${name}"}}`;
  const made = await connection.request(
    `POST /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  connection.close();
  if (made.status !== 201) throw new Error(`The namespace "${name}" was answered with ${made.status}`);
}
