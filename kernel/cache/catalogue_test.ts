// The cases of upstream's shared test suites for stores and watchers, each with the tests here that cover it.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

const store = "../../test/store/";
const reads = "../../test/reads/";
const semantics = "../../test/reads/semantics-conformance.ts";
const cache = "./watch-cache_test.ts";
const snapshots = "./kind/snapshots_test.ts";
const suggestions = "../write/guaranteed-update_test.ts";

/**
 * Upstream's name without `RunTest`, and the file and title of our tests. Each test of `store` runs on sqlite and on every etcd, each of
 * `reads` and `semantics` directly on both and on the cache over both. Upstream's store decides more about an object
 * (names, preconditions, transformations by a caller); here the verbs do, with a conditional commit().
 */
const catalogue: Readonly<Record<string, readonly (readonly [file: string, promise: string])[]>> = {
  Create: [[store, "commit() creates, and each commit raises the revision by one"]],
  CreateWithKeyExist: [[store, "commit() expecting absence loses against a key and hands it back"]],
  CreateWithTTL: [[store, "commit() with a time to live removes the key by itself, as an event"]],
  Get: [[reads, "get() shows every write that was answered before it"], [reads, "get() at a version shows that one or a later one"]],
  UnconditionalDelete: [[store, "commit() deletes on the revision seen and on no other"]],
  ConditionalDelete: [[store, "commit() deletes on the revision seen and on no other"]],
  // Suggestions are objects from a cache that may be out of date.
  DeleteWithSuggestion: [[suggestions, "${what} starts from the cached object, without a read of the store"]],
  DeleteWithSuggestionAndConflict: [
    [suggestions, "${what} is repeated with the object that the store returns if the cache is out of date"],
    [
      suggestions,
      "preconditions of a delete are compared with the stored object",
    ],
  ],
  DeleteWithSuggestionOfDeletedObject: [[suggestions, "${what} of an object that another server deleted returns 404 or creates it"]],
  DeleteWithConflict: [[store, "of many writers on one key exactly one wins each round"]],
  List: [[reads, "list() sorts by the bytes of keys, over all namespaces by namespace slash name"], [reads, "list() keeps kinds apart"]],
  ConsistentList: [[reads, "list() shows every write that was answered before it"], [
    reads,
    "chunked lists are consistent during concurrent writes",
  ]],
  GetListNonRecursive: [[reads, "list() with a limit and one name is not older than a version, with Exact it is exact"]],
  GetListRecursivePrefix: [[store, "list() takes a prefix to its end and not one key further"]],
  ListResourceVersionMatch: [[semantics, "list ${shown(cell)}"]],
  ListContinuation: [[reads, "list() in chunks shows the moment of the first chunk, counts down, and ends without a token"]],
  ListContinuationWithFilter: [[reads, "chunks of a selection are full, have no remaining count, and the last one can be empty"]],
  ListPaginationRareObject: [[reads, "chunks of a selection are full, have no remaining count, and the last one can be empty"]],
  ListInconsistentContinuation: [
    [reads, "a token of a compacted version answers 410 with a token to continue with"],
    [reads, "list() goes on in the newest state where a token says so"],
  ],
  ListExactFromSnapshot: [[snapshots, "every state of a long history equals the store's"]],
  CompactRevision: [[store, "compact() drops history before a revision and keeps the state at it"]],
  GuaranteedUpdate: [[store, "commit() writes over the revision seen and over no other"]],
  GuaranteedUpdateWithTTL: [[store, "commit() with a time to live removes the key by itself, as an event"]],
  GuaranteedUpdateChecksStoredData: [[store, "commit() writes equal bytes as a new revision"]],
  GuaranteedUpdateWithConflict: [[store, "a counter raised by many writers loses no increment"]],
  GuaranteedUpdateWithSuggestionAndConflict: [
    [suggestions, "${what} is repeated with the object that the store returns if the cache is out of date"],
    [suggestions, "a patch that the cached object rejects is repeated with the stored object"],
    [suggestions, "a patch that does not change the cached object is repeated with the stored object"],
  ],
  TransformationFailure: [[reads, "bytes that cannot be decoded are an error with the key, until they are overwritten"]],
  Count: [[store, "list() pages by limit and after, and counts the remaining keys of the range"]],
  Watch: [[reads, "watch() from a version gives exactly the later events"], [
    reads,
    "watch() keeps to its namespace, its kind and its object",
  ]],
  WatchFromZero: [[reads, "watch() without a version begins with the present state and a bookmark after it"]],
  WatchFromNonZero: [[reads, "watch() from a version gives exactly the later events"]],
  DeleteTriggerWatch: [[reads, "watch() shows a deleted object in its last state at the version of the deletion"]],
  WatchDeleteEventObjectHaveLatestRV: [[reads, "watch() shows a deleted object in its last state at the version of the deletion"]],
  DelayedWatchDelivery: [[reads, "watch() that is read late gets every event in order, each with its state at the time"]],
  WatchError: [[reads, "watch() from a compacted version ends with one ERROR of 410"]],
  WatchErrorIsBlockingFurtherEvents: [[reads, "bytes that cannot be decoded are an error with the key, until they are overwritten"]],
  WatchContextCancel: [[store, "watch() ends normally when its signal aborts, before, between and while it waits"]],
  WatcherTimeout: [
    [reads, "watch() ends when its time is up, and not before"],
    [cache, "a watch that is not read is ended and counted once it is too far behind for too long; others continue"],
  ],
  WatchInitializationSignal: [[cache, "openReads() resolves after its timeout although the cache is still being filled"]],
  ClusterScopedWatch: [[reads, "watch() selects by name and by declared fields"]],
  NamespaceScopedWatch: [
    [reads, "watch() keeps to its namespace, its kind and its object"],
    [reads, "an object that leaves a selector is DELETED in its old state at the new version, one that enters it is ADDED"],
  ],
  WatchDispatchBookmarkEvents: [[
    cache,
    "watches get a bookmark a minute, and one two seconds before their planned end, with the newest revision",
  ]],
  OptionalWatchBookmarksWithCorrectResourceVersion: [[reads, "bookmarks never go back, and every event up to a bookmark comes before it"]],
  WatchBookmarkMonotonicity: [[reads, "bookmarks never go back, and every event up to a bookmark comes before it"]],
  SendInitialEventsBackwardCompatibility: [[semantics, "watch ${shown(cell)}"]],
  WatchSemantics: [[semantics, "watch ${shown(cell)}"]],
  WatchSemanticInitialEventsExtended: [
    [reads, "a streamed list at an old version shows the present state; at a version that is not reached it ends with ERROR 504"],
  ],
  WatchListMatchSingle: [[reads, "watch() keeps to its namespace, its kind and its object"]],
  ProgressNotify: [[store, "watch() reports progress up to the revision of a read, also without events of its range"]],
};

test("each case of upstream's shared suites has a test here", async () => {
  const texts = new Map<string, string>();
  for (const [behaviour, promises] of Object.entries(catalogue)) {
    assert.ok(promises.length > 0, behaviour);
    for (const [file, promise] of promises) {
      const text = texts.get(file) ?? await textOf(new URL(file, import.meta.url));
      texts.set(file, text);
      assert.ok(text.includes(`"${promise}"`) || text.includes(`\`${promise}\``), `${behaviour}: ${file} has no promise "${promise}"`);
    }
  }
});

/** The text of a file, or of all files of a folder. */
async function textOf(place: URL): Promise<string> {
  if (!place.pathname.endsWith("/")) return await readFile(place, "utf8");
  const files = await readdir(place);
  return (await Promise.all(files.map((file) => readFile(new URL(file, place), "utf8")))).join("\n");
}
