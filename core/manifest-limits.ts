/** Limits of commands that read files of objects (`thole convert`, `thole advise`). Part of `limits.ts`. */
export const manifestLimits = Object.freeze({
  /** Bytes of one file and of all files of one command, and how many files it reads. */
  manifestBytesMax: 16 * 1024 * 1024,
  manifestsBytesMax: 256 * 1024 * 1024,
  manifestFilesMax: 10_000,
  /** Folders below a folder of `-R`. */
  manifestFolderDepthMax: 50,
  /** Nesting, lexical tokens (about five for a line) and aliases of one document of a file. */
  manifestDepthMax: 200,
  manifestTokensMax: 1_000_000,
  manifestAliasesMax: 1_000,
  /** Nodes of a value that is written a second time, such as labels, with its aliases followed. */
  manifestValueNodesMax: 10_000,
  /** Lines of the changed part of a document, before and after, multiplied, up to which all unchanged lines are found; and those looked ahead in longer ones. */
  manifestLinePairsMax: 4_000_000,
  manifestLookAheadLinesMax: 60,
  /** Findings of one document that are reported. Further ones are counted. */
  manifestFindingsMax: 1_000,
});
