/** Follows flow schemas and priority levels. As kube-apiserver's hook of this name. */
import type { Api, ControllerContext, StartHook } from "../../plugin.ts";
import { pause, spell } from "../../toolbox.ts";
import { writeConditions } from "./dangling.ts";
import type { FlowSchema } from "./flow-schema-schema.ts";
import type { PriorityLevelConfiguration } from "./priority-level-schema.ts";
import { groupVersion } from "./schema.ts";

/** Milliseconds in which changes are collected. */
const gatherMs = 50;
/** Milliseconds after which a failed write is tried again, and a broken watch begins anew. */
const retryMs = 5000;

export const configurationConsumer: StartHook = Object.freeze<StartHook>({
  name: "priority-and-fairness-config-consumer",
  fieldManager: "api-priority-and-fairness-config-consumer-v1",
  async run() {},
  async follow(context, signal) {
    const home = spell(context.names, groupVersion);
    const isServed = (resource: string) =>
      context.api.collections("watch").some((each) => each.groupVersion === home && each.resource === resource);
    if (isServed("flowschemas") && isServed("prioritylevelconfigurations")) await new Consumer(context, signal).run();
  },
});

/** The objects as last seen. */
class Consumer {
  readonly #context: ControllerContext;
  readonly #signal: AbortSignal;
  readonly #schemas = new Map<string, FlowSchema>();
  readonly #levels = new Map<string, PriorityLevelConfiguration>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing = Promise.resolve();

  constructor(context: ControllerContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  /** Works until the signal aborts. */
  async run(): Promise<void> {
    await Promise.all([this.#follow("flowschemas", this.#schemas), this.#follow("prioritylevelconfigurations", this.#levels)]);
    clearTimeout(this.#timer);
    await this.#writing;
  }

  async #follow<T>(resource: string, known: Map<string, T>): Promise<void> {
    const { api, logError } = this.#context;
    while (!this.#signal.aborted) {
      try {
        await this.#watch(api, resource, known);
      } catch (error) {
        if (this.#signal.aborted) return;
        logError(`the watch of ${resource} has failed; it begins anew`, error);
        await pause(retryMs, this.#signal);
      }
    }
  }

  async #watch<T>(api: Api, resource: string, known: Map<string, T>): Promise<void> {
    for await (const { type, object } of api.watch(groupVersion, resource, "", {}, this.#signal)) {
      const { name = "" } = object.metadata;
      if (type === "DELETED") known.delete(name);
      else known.set(name, object as T); // the watch is of this resource
      this.#soon(gatherMs);
    }
  }

  #soon(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#writing.then(async () => {
        if (this.#signal.aborted) return;
        const isDone = await writeConditions(this.#context, this.#schemas.values(), this.#levels);
        if (!isDone && !this.#signal.aborted) this.#soon(retryMs);
      });
    }, milliseconds);
  }
}
