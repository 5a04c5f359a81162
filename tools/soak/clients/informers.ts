/** Shared informers of client-go, in JSON and protobuf, and writers. */
import { join } from "node:path";
import { type SoakClient, untilOver } from "../client.ts";
import { buildInformers, informersMissing, startInformers } from "../informers-program.ts";
import { namespace } from "../objects.ts";

const pauseMs = 1_000;

export const informers: SoakClient = {
  name: "client-go, informers",
  missing: () => informersMissing(true),
  async run({ url, caFile, token, folder, pace }, tally, signal) {
    const path = join(folder, "informers");
    await buildInformers(path, true);
    const started = startInformers(path, { url, caFile, token, namespace, pauseMs: pauseMs * pace, encodings: ["json", "protobuf"] });
    await untilOver(signal);
    tally.add(await started.finish());
    await started.stop();
  },
};
