/** Documents of discovery and OpenAPI with many definitions. */
import { performance } from "node:perf_hooks";
import { definitionAt } from "./definition-models.ts";
import { type Client, create, mebibyte, noRate, remove, type Row, served, type Subject } from "./definition-subject.ts";
import { cpuMs, memoryMiB } from "./process.ts";

/** Documents for the version of the first definition, and those that list all. */
const documents: readonly (readonly [name: string, path: string, accept: string])[] = Object.freeze([
  ["discovery", "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"],
  ["one v3 document", `/openapi/v3/apis/${definitionAt(0).path.split("/").slice(2, 4).join("/")}`, "application/json"],
  ["v3 index", "/openapi/v3", "application/json"],
]);

/** The documents of discovery and of OpenAPI v3, and then all of OpenAPI v3. `spare`: number of a definition that does not exist. */
export async function measureDocuments(subject: Subject, client: Client, spare: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, path, accept] of documents) rows.push(await measureDocument(subject, client, spare + rows.length, name, path, accept));
  const { paths } = JSON.parse(await client.text("/openapi/v3")) as { paths: Record<string, { serverRelativeURL: string }> };
  const begun = performance.now(), cpuBefore = cpuMs(subject.pid), all = Object.values(paths);
  for (const { serverRelativeURL } of all) await client.get(serverRelativeURL);
  const ms = performance.now() - begun, cpu = cpuMs(subject.pid) - cpuBefore;
  const row = noRate(`${subject.name}: all v3 documents`);
  return [
    ...rows,
    { ...row, requests: all.length, perSecond: all.length * 1000 / ms, p50: ms, p99: ms, cpuMs: cpu, peakMiB: memoryMiB(subject.pid).peak },
  ];
}

/** A document at its first request, and at the first one after a definition was added. */
export async function measureDocument(
  subject: Subject,
  client: Client,
  spare: number,
  name: string,
  path: string,
  accept: string,
): Promise<Row> {
  const timed = async () => {
    const begun = performance.now(), cpuBefore = cpuMs(subject.pid);
    const { bytes } = await client.get(path, accept);
    return { ms: performance.now() - begun, cpu: cpuMs(subject.pid) - cpuBefore, bytes };
  };
  const first = await timed(), definition = definitionAt(spare);
  await create(client, definition);
  await served(client, definition.path, 200);
  const again = await timed();
  await remove(client, definition.name);
  await served(client, definition.path, 404);
  return {
    ...noRate(`${subject.name}: ${name}`),
    requests: 2,
    perSecond: 1000 / again.ms,
    p50: again.ms,
    p99: first.ms,
    cpuMs: again.cpu,
    peakMiB: memoryMiB(subject.pid).peak,
    note: `p50: after one more definition, p99: first; ${(again.bytes / mebibyte).toFixed(2)} MiB`,
  };
}
