/** Limits of work that multiplies, part of `limits.ts`. A step is about ten nanoseconds, see `budget.ts`. */
export const budgetLimits = Object.freeze({
  /** Steps of one request: the longest turn of the heavy thread. */
  requestStepsMax: 50_000_000,
  /** Steps of one request after which it is repeated in the heavy thread. */
  inlineStepsMax: 100_000,
  /** Steps of one request that cannot run in the heavy thread, because its kind is converted by a webhook. */
  undividedStepsMax: 5_000_000,
  /** Bytes of JSON that the defaults of a definition add to one object: more than the store accepts for the whole object. */
  defaultBytesMax: 1.5 * 1024 * 1024,
  /** Values that the copies of one JSON patch may add. An empty list takes two bytes of a body, and a microsecond of each later step. */
  jsonPatchCopiedValuesMax: 200_000,
  /** Characters of indentation of one answer, and more of them for each character of its compact text. Lines that are indented by few columns always fit:
   *  deep ones would make 160 MB of an object of 60 kB. */
  indentationLengthMax: 1024 * 1024,
  indentationPerCharacterMax: 16,
  indentationColumnsFree: 64,
});
