/**
 * Sorts the files of a tar by type and path, so that files of one folder, which resemble each other, stand together: gzip then finds what they share.
 * npm sorts by base name.
 */

const block = 512;
const text = (bytes, from, length) => bytes.toString("latin1", from, from + length).replace(/\0.*$/s, "");

/** The same entries in another order. `tar` is a Buffer with an uncompressed tar (ustar, with or without pax headers). */
export function sortedTar(tar) {
  const entries = [];
  let start = 0;
  for (let at = 0; at < tar.length && tar[at] !== 0;) {
    const size = Number.parseInt(text(tar, at + 124, 12), 8);
    const type = text(tar, at + 156, 1);
    const end = at + block + Math.ceil(size / block) * block;
    if (type !== "x") {
      const path = `${text(tar, at + 345, 155)}/${text(tar, at, 100)}`;
      entries.push({ key: `${path.replace(/^.*?(?=\.[^/]*$)/s, "")}\0${path}`, bytes: tar.subarray(start, end) });
      start = end;
    }
    at = end;
  }
  entries.sort((one, other) => one.key < other.key ? -1 : 1);
  return Buffer.concat([...entries.map(({ bytes }) => bytes), Buffer.alloc(2 * block)]);
}
