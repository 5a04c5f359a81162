/** The versions of a store by their revisions. */
import type { Revision } from "../../kernel/store/store.ts";

/** One version of a key. */
export interface Version {
  readonly key: string;
  readonly revision: Revision;
  /** The bytes, which are shared and must not be changed; undefined if the key was deleted. */
  readonly value: Uint8Array | undefined;
  /** When the key expires, in milliseconds since 1970. */
  readonly expires: number | undefined;
}

/** A version and the one before it, which may be a deletion. */
export interface LogEntry {
  readonly version: Version;
  readonly prior: Version | undefined;
}

const chunkSize = 1024;

/** All versions after a revision, one for each. Copies share the chunks that are full. */
export class RevisionLog {
  /** Full chunks, and the last one, which only this log appends to. */
  #chunks: LogEntry[][];
  /** The revision of the first entry of the first chunk. */
  #first: Revision;
  #newest: Revision;

  private constructor(first: Revision, newest: Revision, chunks: LogEntry[][]) {
    this.#first = first;
    this.#newest = newest;
    this.#chunks = chunks;
  }

  /** An empty log at a revision. */
  static after(revision: Revision): RevisionLog {
    return new RevisionLog(revision + 1, revision, [[]]);
  }

  get newest(): Revision {
    return this.#newest;
  }

  copy(): RevisionLog {
    const last = this.#chunks.length - 1;
    return new RevisionLog(this.#first, this.#newest, this.#chunks.map((chunk, index) => index === last ? chunk.slice() : chunk));
  }

  /** Appends the version of the next revision. */
  push(entry: LogEntry): void {
    const last = this.#chunks.at(-1)!;
    if (last.length < chunkSize) last.push(entry);
    else this.#chunks.push([entry]);
    this.#newest = entry.version.revision;
  }

  /** The entry of a revision; undefined if it was dropped. */
  at(revision: Revision): LogEntry | undefined {
    const index = revision - this.#first;
    return index < 0 ? undefined : this.#chunks[Math.floor(index / chunkSize)]?.[index % chunkSize];
  }

  /** The entries after a revision, oldest first. */
  *after(revision: Revision): Generator<LogEntry> {
    for (let next = Math.max(revision + 1, this.#first); next <= this.#newest; next++) yield this.at(next)!;
  }

  /** The version of a key at a revision, from its newest version backwards. Revisions that were dropped are older than any that is asked for. */
  versionAt(newest: Version, revision: Revision): Version | undefined {
    let version: Version | undefined = newest;
    while (version !== undefined && version.revision > revision) version = this.at(version.revision)?.prior;
    return version;
  }

  /** Drops whole chunks up to a revision. */
  dropTo(revision: Revision): void {
    const count = Math.min(Math.floor((revision + 1 - this.#first) / chunkSize), this.#chunks.length - 1);
    if (count <= 0) return;
    this.#chunks = this.#chunks.slice(count);
    this.#first += count * chunkSize;
  }
}
