/** Sections of the operators' guide that messages link to. A test compares them with the headings of the guide. */
export const guideSections = Object.freeze(
  [
    "certificates-that-are-not-valid",
    "the-clock-jumps",
    "etcd-is-full",
    "etcd-is-unreachable",
    "etcd-refuses",
    "objects-in-a-removed-version",
    "objects-that-cannot-be-read",
    "restore-the-embedded-store",
    "several-cores",
    "the-disk-is-full",
    "the-store-file-cannot-be-used",
  ] as const,
);

/** Returns the address of a section of the operators' guide, such as `docs/operators-guide.md#the-disk-is-full`. */
export function guide(section: typeof guideSections[number]): string {
  return `docs/operators-guide.md#${section}`;
}
