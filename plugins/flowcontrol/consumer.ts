/** Keeps the condition of flow schemas. As kube-apiserver's hook of this name. */
import type { StartHook } from "../../plugin.ts";
import { pause } from "../../toolbox.ts";
import { writeConditions } from "./dangling.ts";
import { followConfigured } from "./follow.ts";

/** Milliseconds after which a failed write is tried again. */
const retryMs = 5000;

export const configurationConsumer: StartHook = Object.freeze<StartHook>({
  name: "priority-and-fairness-config-consumer",
  fieldManager: "api-priority-and-fairness-config-consumer-v1",
  async run() {},
  async follow(context, signal) {
    const { api, names, logError, clock } = context;
    /** The number of the state that is written. */
    let state = 0, writing = Promise.resolve();
    await followConfigured({ api, names, signal, logError, clock }, (schemas, levels) => {
      const own = ++state, present = new Set(levels.map(({ metadata }) => metadata.name ?? ""));
      const write = async () => {
        while (own === state && !signal.aborted && !await writeConditions(context, schemas, present)) {
          await pause(retryMs, signal, clock);
        }
      };
      writing = writing.then(write);
    });
    await writing;
  },
});
