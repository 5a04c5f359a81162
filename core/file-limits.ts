/** Bounds of reading the files of another server's store. Part of `limits.ts`. */
export const fileLimits = Object.freeze({
  /** Bytes of one page of a bbolt file with its overflow pages: a page has at least one value, which etcd limits to 1.5 MiB by default. */
  boltPageBytesMax: 64 * 1024 * 1024,
  /** Pages of a bbolt file, of which each walk keeps a byte: 256 GiB in pages of 4 KiB. etcd's quota is 8 GiB at most by its own advice. */
  boltPagesMax: 64 * 1024 * 1024,
  /** Levels of pages of one bucket. A tree of 2^64 pages with two items each has as many. */
  boltDepthMax: 64,
  /** Keys of a snapshot whose places are kept in memory, about 200 bytes for each. */
  etcdFileKeysMax: 10_000_000,
  /** Bytes of the file of --encryption-provider-config, and keys in it. */
  encryptionFileBytesMax: 1024 * 1024,
  encryptionKeysMax: 1_000,
  /** Objects whose uids and owners are compared by `thole verify`. Of a store with more, the rest is checked one by one only. */
  relatedObjectsMax: 2_000_000,
  /** Kinds, versions and namespaces that `thole import` shows in separate rows. Others are counted in one row for each kind. */
  surveyRowsMax: 100_000,
  /** Objects that `thole import` writes at the same time. */
  importWritesMax: 64,
  /** Attempts to copy the files of an embedded store in use: a checkpoint during a copy makes it useless. */
  storeCopyTries: 5,
});
