/** The tokens of YAML. */

/** A token of the scanner for the composer. `line` counts from 0. */
export type Token =
  | { readonly type: MarkType; readonly line: number }
  | { readonly type: "alias" | "anchor"; readonly line: number; readonly name: string }
  | { readonly type: "tag"; readonly line: number; readonly handle: string; readonly suffix: string }
  | { readonly type: "scalar"; readonly line: number; readonly text: string; readonly plain: boolean }
  | { readonly type: "versionDirective"; readonly line: number; readonly version: string }
  | { readonly type: "tagDirective"; readonly line: number; readonly handle: string; readonly prefix: string };

/** Tokens without a value. Starts and ends of blocks have no characters; they result from indentation. */
export type MarkType =
  | "streamEnd"
  | "documentStart"
  | "documentEnd"
  | "blockSequenceStart"
  | "blockMappingStart"
  | "blockEnd"
  | "flowSequenceStart"
  | "flowSequenceEnd"
  | "flowMappingStart"
  | "flowMappingEnd"
  | "blockEntry"
  | "flowEntry"
  | "key"
  | "value";

export type TokenType = Token["type"];
