/** Bounds of YAML texts, a part of `limits`. */
export const yamlLimits = Object.freeze({
  /** Deepest nesting in the text of a YAML document. The library that parses it is recursive. */
  yamlDepthMax: 500,
  /** UTF-16 units of YAML that are parsed again because lines of brackets or quoted text are not indented. */
  yamlIndentedLengthMax: 1024 * 1024,
  /** UTF-16 units of the duplicate keys reported for one YAML document. Further ones are only counted. */
  yamlDuplicatesLengthMax: 1024 * 1024,
  /** UTF-16 units of one YAML document after expansion of its aliases: several times the largest body. */
  yamlTextLengthMax: 16 * 1024 * 1024,
});
