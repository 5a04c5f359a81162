/** Bounds of CEL expressions, part of `limits`. */
export const celLimits = Object.freeze({
  /** Code points of a CEL expression (this and the next ones as cel-go's). */
  celCodePointsMax: 100_000,
  /** Nesting of each rule of the grammar in a CEL expression, and of operators, selections and member calls. */
  celNestingMax: 250,
  /** Nodes of a CEL expression with its macros expanded: macros of optionals copy their argument, so that a chain of them doubles it. */
  celNodesMax: 200_000,
  /** Types within the type of one node of a CEL expression, and steps of comparing types in one expression (upstream has no bound). */
  celTypePartsMax: 500,
  celCheckStepsMax: 5_000_000,
  /** Mistakes reported for a CEL expression. */
  celIssuesMax: 100,
  /** Mistakes after which the parser of CEL continues, and tokens that it skips after each. */
  celRecoveriesMax: 30,
  celRecoveryTokensMax: 256,
  /** UTF-8 bytes of a line of a CEL expression that is shown with a mistake. */
  celSnippetBytesMax: 16_384,
});
