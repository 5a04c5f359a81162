/** One load on a server that runs since a while, with the same on a bare server. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Child } from "./children.ts";
import { openConnection } from "./connection.ts";
import type { FloorStep } from "./floor.ts";
import type { Generator } from "./generator.ts";
import type { Load, Loaded } from "./load.ts";
import type { Measured, Rate } from "./measured.ts";
import { putsPath } from "./objects.ts";
import { forgetPeak, memoryMiB } from "./process.ts";
import { nameWith, objects, type Scenario } from "./scenarios.ts";
import type { Protocol } from "./sender.ts";
import { jobFor, type Target, timed } from "./target.ts";

const warmUpShare = 0.375;
/** Share of the time of a load that its reference gets. */
const floorShare = 0.5;

/** A program of `floor.ts`, and the port of its bare server. */
export interface Floor {
  readonly child: Child;
  readonly port: number;
}

export interface LoadSetting {
  readonly target: Target;
  readonly floor: Floor;
  readonly generator: Generator;
  readonly protocol: Protocol;
  /** For files. */
  readonly folder: string;
  readonly seconds: number;
  readonly share: number;
}

export type LoadMeasure = Scenario["measure"] & { readonly tag: "load" };

/** The job of a scenario, with a share of its objects and clients and a run of its own. */
export function jobOf(what: LoadMeasure, { target, seconds, share }: Pick<LoadSetting, "target" | "seconds" | "share">): Load {
  const wish = {
    ...what,
    clients: Math.ceil(what.clients * Math.min(1, share * 10)),
    objects: Math.ceil((what.objects ?? objects) * share),
  };
  return jobFor(target, wish, seconds, String(Math.floor(performance.now())));
}

export async function measureLoad(scenario: Scenario, what: LoadMeasure, setting: LoadSetting): Promise<Omit<Measured, "goals">> {
  const { target, generator, seconds, protocol } = setting;
  const job = () => jobOf(what, setting);
  forgetPeak(target.pid);
  await generator.load({ ...job(), seconds: seconds * warmUpShare });
  const rate = await timed(target, () => generator.load(job()));
  const peakMiB = memoryMiB(target.pid).peak;
  const floor = scenario.floor === undefined ? undefined : await floorOf(scenario, job(), setting);
  const handler = scenario.floor === "write" || scenario.floor === "rewrite" ? { handler: await handlerOf(job(), setting) } : {};
  const note = what.kind === "apply" ? { note: await managedFieldsOf(what.path, target) } : {};
  return { name: nameWith(scenario.name, protocol), protocol, ...rate, floor, ...handler, peakMiB, ...note };
}

async function floorOf(scenario: Scenario, job: Load, { target, floor, generator, folder }: LoadSetting): Promise<Rate> {
  const seconds = job.seconds * floorShare;
  if (scenario.floor === "read") {
    const path = job.path.replace("<object>", "cm-00000");
    const file = join(folder, "body");
    await writeFile(file, await bodyOf(path, target, job.gzip));
    await floor.child.ask({ step: "serve", path, file } satisfies FloorStep);
    const bare = { ...job, path, port: floor.port, seconds };
    await generator.load({ ...bare, seconds: seconds * warmUpShare });
    return await timed(floor.child, () => generator.load(bare));
  }
  const again = scenario.floor === "rewrite";
  const step = (length: number) =>
    ({ step: "put", writers: job.clients, objects: job.objects, seconds: length, again }) satisfies FloorStep;
  await floor.child.ask<Loaded>(step(seconds * warmUpShare));
  return await timed(floor.child, () => floor.child.ask<Loaded>(step(seconds)));
}

/** The same requests to a bare server that parses their bodies, puts them and responds. */
async function handlerOf(job: Load, { floor, generator }: LoadSetting): Promise<Rate> {
  const bare = { ...job, port: floor.port, path: putsPath, seconds: job.seconds * floorShare };
  await generator.load({ ...bare, seconds: bare.seconds * warmUpShare });
  return await timed(floor.child, () => generator.load({ ...bare, run: `${job.run}-again` }));
}

/** Bytes of an object's managed fields. */
async function managedFieldsOf(path: string, target: Target): Promise<string> {
  const body: unknown = JSON.parse(new TextDecoder().decode(await bodyOf(`${path}/cm-00000`, target)));
  const { metadata } = body as { metadata: { managedFields?: readonly unknown[] } }; // In the server's response.
  const managed = metadata.managedFields ?? [];
  return `${JSON.stringify(managed).length} bytes of managedFields in ${managed.length} entries`;
}

/** The bytes of the server's response. The bare server sends those of gzip as they are. */
async function bodyOf(path: string, { port, ca, token }: Target, gzip = false): Promise<Uint8Array> {
  const connection = await openConnection({ port, ca: readFileSync(ca, "utf8") });
  const pieces: Uint8Array[] = [];
  await connection.request(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${gzip ? "Accept-Encoding: gzip\r\n" : ""}\r\n`,
    (piece) => pieces.push(Buffer.from(piece)),
  );
  connection.close();
  return Buffer.concat(pieces);
}
