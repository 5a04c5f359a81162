/** Text of 1 kB that does not compress to nothing. */
const filler = Array.from({ length: 100 }, (_, index) => String(index * 7919 % 9973).padStart(10, "x")).join("");

/** A ConfigMap with 1 kB of data; `n` makes each differ, and comes before the data in the JSON of every server. */
export function configMap(name: string, n: number | string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"n":"${n}","value":"${filler}"}}`;
}
