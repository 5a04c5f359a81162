/** How long tokens of pods are valid. */

/** Validity in seconds that kubelets request for pods; only such tokens are extended. */
export const projectedSeconds = 3607;
/** Validity of an extended token in seconds: a year. */
export const extendedSeconds = 365 * 24 * 3600;
