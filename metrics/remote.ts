/** Recorders for another thread: each recording is sent as plain data to the thread that has the registry. */
import type { MetricDefinition } from "./define.ts";
import type { MetricOf, Recorder } from "./recorder.ts";

/** One recording. */
export interface RemoteRecording {
  readonly definition: MetricDefinition;
  readonly labels: Readonly<Record<string, string>>;
  readonly method: "add" | "set" | "observe" | "reset";
  /** 0 for `reset`. */
  readonly value: number;
}

/** Recorders whose recordings go to `send`. Mistakes in a recording are found where it arrives. */
export function remoteMetric(send: (recording: RemoteRecording) => void): MetricOf {
  return <Definition extends MetricDefinition>(definition: Definition): Recorder<Definition> => {
    const recorder = {
      with: (labels: Readonly<Record<string, string>>) => ({
        add: (amount = 1) => send({ definition, labels: { ...labels }, method: "add", value: amount }),
        set: (value: number) => send({ definition, labels: { ...labels }, method: "set", value }),
        observe: (value: number) => send({ definition, labels: { ...labels }, method: "observe", value }),
      }),
      reset: () => send({ definition, labels: {}, method: "reset", value: 0 }),
    };
    return recorder as unknown as Recorder<Definition>; // `as`: it has the methods of every type of metric
  };
}

/** Applies a recording from another thread. Throws as the recorder does. */
export function recordRemote(metric: MetricOf, { definition, labels, method, value }: RemoteRecording): void {
  // `as`: the sender took the method from the recorder of this definition.
  const recorder = metric(definition) as unknown as { with(labels: object): Record<string, (value: number) => void>; reset(): void };
  if (method === "reset") recorder.reset();
  else recorder.with(labels)[method]!(value);
}
