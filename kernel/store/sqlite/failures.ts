/** Explains sqlite's errors to operators. They are recognised by sqlite's messages, because Deno's errors have no codes. */
import { guide } from "../../../core/guide.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import type { Fault } from "../fault.ts";
import type { Failure } from "./calls.ts";
import { movedText } from "./place.ts";

const restore = `put a backup in its place: ${guide("restore-the-embedded-store")}`;

/** For each error: a text in sqlite's message, its meaning, and the advice to the operator. */
const table: readonly (readonly [said: string, meaning: string, advice: string])[] = [
  ["file is not a database", "it is no sqlite database, or its first page is damaged", restore],
  ["malformed", "it is damaged", restore],
  ["no such column", "its tables are not those of a store", restore],
  [
    movedText,
    "its files were removed or replaced while this server has them open",
    `move them back, or restart the server: it then uses the files that are there; ${guide("the-store-file-cannot-be-used")}`,
  ],
  ["EACCES", "this user may not open it", "give this user its folder and its files, or start as the user that has them"],
  ["EPERM", "this user may not open it", "give this user its folder and its files, or start as the user that has them"],
  ["EROFS", "its file system is read-only", "mount the file system for writing; check the kernel's log for why it is not"],
  ["ENOENT", "its folder does not exist", "make the folder, or check --data-dir"],
  ["ENOSPC", "there is no space on its disk", `free disk space: ${guide("the-disk-is-full")}`],
  ["unable to open", "it cannot be opened", "check that its folder exists and that this user may read and write it"],
  ["readonly", "it, its folder or its file system is read-only", "let this user write it, or mount the file system for writing"],
  ["disk I/O error", "the disk failed", `check the kernel's log and the disk, then ${restore}`],
  ["disk is full", "there is no space on its disk", `free disk space: ${guide("the-disk-is-full")}`],
];

interface Explained {
  readonly cause: string;
  readonly advice: string;
}

function explain(error: unknown): Explained {
  const said = reasonOf(error);
  const [, meaning, advice] = table.find(([part]) => said.includes(part)) ?? [];
  if (said.includes("store of format")) return { cause: said, advice: `start the release that wrote it, or ${restore}` };
  if (meaning === undefined || advice === undefined) return { cause: said, advice: guide("the-store-file-cannot-be-used") };
  return { cause: `${meaning} (${said})`, advice };
}

/** Whether opening the store file has failed because another process has it open. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && error.cause !== undefined && reasonOf(error.cause).includes("database is locked");
}

/** Explains why a store file cannot be opened, and what to do. `owner` is the id of the process that opened it last, if known. */
export function openFailure(error: unknown, owner: number | undefined): string {
  if (reasonOf(error).includes("database is locked")) {
    const which = owner === undefined ? "" : `, process ${owner}`;
    return `another process has it open${which}: stop that one, or give this one another --data-dir (${
      guide("the-store-file-cannot-be-used")
    })`;
  }
  const { cause, advice } = explain(error);
  return `${cause}; ${advice}`;
}

/** Returns the fault of a store file whose reads or writes fail. */
export function failingFault(path: string, error: unknown): Fault {
  return {
    kind: "failing",
    of: path,
    state: `the store file "${path}" fails`,
    over: `the store file "${path}" can be written again`,
    ...explain(error),
    unready: true,
  };
}

/** The failure of a write on a full disk. */
export const fullError: Failure = Object.freeze({ code: "full", message: "The disk of the store is full" });

/** Returns the fault of a store file on a full disk. */
export function fullFault(path: string): Fault {
  return {
    kind: "full",
    of: path,
    state: `the disk of the store file "${path}" is full`,
    over: `the disk of the store file "${path}" has space again`,
    cause: "no space for another write; creates and updates are rejected, deletions continue with reserved space",
    advice: `free space on that disk, or delete objects: ${guide("the-disk-is-full")}`,
    unready: true,
  };
}
