/** `run`, which runs at the first call only; whoever calls again waits for the same. */
export function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => running ??= run();
}
