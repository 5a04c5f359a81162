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
  /** Time that `helm template` may take for one chart. */
  chartRenderMs: 60_000,
  /** Bytes of one release of Helm when it is unpacked. */
  releaseBytesMax: 16 * 1024 * 1024,
  /** Objects that `thole advise` asks a server for, how many in one request, the bytes of one answer, the time of one request, and the requests, of
   * which a server can make endless ones by pages without objects. */
  advisedObjectsMax: 200_000,
  advisedRequestsMax: 20_000,
  advisedPageObjects: 500,
  advisedAnswerBytesMax: 256 * 1024 * 1024,
  advisedRequestMs: 60_000,
  /** Findings of `thole advise` that are shown, and different reasons why values of a store cannot be read. Further ones are counted. */
  advisedFindingsMax: 20_000,
  advisedUnreadMax: 1_000,
  /** UTF-16 units of one line of an audit log, and the different uses that are kept of one log. */
  auditLineLengthMax: 4 * 1024 * 1024,
  auditUsesMax: 10_000,
  /** Findings of one document that are reported. Further ones are counted. */
  manifestFindingsMax: 1_000,
});
