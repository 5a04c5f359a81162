/** The operations of the test control: the one table of which the checks, the OpenAPI document and the pages are made. */
import type { Operation } from "../operation.ts";
import { clockOperations } from "./clock.ts";
import { faultOperations } from "./faults.ts";
import { forkOperations } from "./forks.ts";
import { recordingOperations } from "./recordings.ts";
import { snapshotOperations } from "./snapshots.ts";

/** All operations, in the order of the pages. */
export const operations: readonly Operation[] = Object.freeze([
  ...forkOperations,
  ...snapshotOperations,
  ...clockOperations,
  ...faultOperations,
  ...recordingOperations,
]);
