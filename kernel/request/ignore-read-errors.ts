/** The delete option, and query parameter, that permits the deletion of an object that cannot be read. */
export const ignoreReadErrorsField = "ignoreStoreReadErrorWithClusterBreakingPotential";
