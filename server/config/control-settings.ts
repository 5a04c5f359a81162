/** The settings of servers for tests and trials. */
import { inMemory, isInMemory } from "./in-memory.ts";
import { isLoopback } from "./loopback.ts";
import { bool, type Change, type Count, fixed, type Going, live, type Setting } from "./setting.ts";

export interface TestConfig {
  readonly "simulate": boolean;
  readonly "test-control": boolean;
}

export const testSettings: { readonly [Name in keyof TestConfig]: Setting<"bool", boolean> & Change & Going } = Object.freeze({
  "simulate": live(bool(
    false,
    "Simulate a cluster: workloads make pods, pods get nodes, and both live by themselves, without programs beside the server. For tests and trials.",
  )),
  "test-control": fixed(
    "the program opens another server, at start",
    bool(
      false,
      "Serve test control over HTTP below /test/: forks, the clock of forks, faults and recordings. The token for it is printed. Needs " +
        `--data-dir=${inMemory} and a loopback address. Files of certificates are not followed, and nothing is reloaded.`,
    ),
  ),
});

interface Excluding extends Pick<TestConfig, "test-control"> {
  readonly "data-dir": string;
  readonly "etcd-servers": readonly string[];
  readonly "workers": Count;
  readonly "bind-address": string;
}

/** Settings with which test control would be reachable by others, or would change what is to be kept. */
export function testControlMistakes(config: Excluding): readonly string[] {
  if (!config["test-control"]) return [];
  const flag = 'flag "--test-control"';
  return [
    ...(isInMemory(config) && config["etcd-servers"].length === 0
      ? []
      : [`${flag}: it is for servers that keep nothing: use "--data-dir=${inMemory}", and no "--etcd-servers"`]),
    ...(isLoopback(config["bind-address"]) ? [] : [`${flag}: "--bind-address" must be a loopback address, such as 127.0.0.1`]),
    ...(config.workers === 1 || config.workers === "auto" ? [] : [`${flag}: it has one process: use "--workers=1"`]),
  ];
}
