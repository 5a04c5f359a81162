/** The option and the query parameter of a deletion that takes an object which cannot be read. */
export const ignoreReadErrorsField = "ignoreStoreReadErrorWithClusterBreakingPotential";
