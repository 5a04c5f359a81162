/** Failures of a store, in commands that start no server. */
import { StoreError } from "../kernel/store/store.ts";

/** Runs a command. If its store fails, prints why and resolves with the exit code 1. */
export async function printStoreErrors(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    console.error(`thole: ${error.message}`);
    return 1;
  }
}
