/** CRC-32C (Castagnoli), the checksum of etcd's write-ahead log. */
import { once } from "../../../core/async.ts";

const polynomial = 0x82f63b78;

const table = once(() =>
  Uint32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 0 ? sum >>> 1 : (sum >>> 1) ^ polynomial;
    return sum;
  })
);

/** The checksum of earlier bytes, whose checksum is `before`, and these. */
export function crc32c(before: number, bytes: Uint8Array): number {
  const sums = table();
  let sum = ~before;
  for (let index = 0; index < bytes.length; index++) sum = sums[(sum ^ bytes[index]!) & 0xff]! ^ (sum >>> 8);
  return ~sum >>> 0;
}
