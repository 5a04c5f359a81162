/** Flags of `thole verify`, `thole import` and `thole advise`: they are no settings of a server. `commands.ts` checks their types. */

/** The store of another server. */
export const sourceFlags = Object.freeze(
  [
    { name: "from-snapshot", value: "FILE", values: "file", help: "read a snapshot of etcd (etcdctl snapshot save)" },
    {
      name: "skip-hash-check",
      help: "accept a file without a checksum, such as the database of a stopped etcd (member/snap/db), or with a wrong one",
    },
    { name: "from-etcd-servers", value: "URLS", isRepeated: true, help: "read from a running etcd at these URLs, separated by commas" },
    { name: "from-etcd-cafile", value: "FILE", values: "file", help: "authorities of the certificate of that etcd" },
    { name: "from-etcd-certfile", value: "FILE", values: "file", help: "client certificate for that etcd" },
    { name: "from-etcd-keyfile", value: "FILE", values: "file", help: "key of the client certificate for that etcd" },
    { name: "from-etcd-prefix", value: "PREFIX", help: "prefix of the keys of that server (default /registry)" },
    {
      name: "from-encryption-provider-config",
      value: "FILE",
      values: "file",
      help: "the file of that server's flag of this name: decrypts values of the providers aescbc, aesgcm and secretbox",
    },
  ] as const,
);

export const importFlags = Object.freeze(
  [
    { name: "list", help: "write nothing: show what the source has, by kind and namespace, and what would be imported" },
    { name: "skip", value: "RESOURCES", isRepeated: true, help: "leave out these resources, such as secrets,widgets.example.com" },
    {
      name: "include",
      value: "RESOURCES",
      isRepeated: true,
      help: "import these resources too, which are left out by default: events, leases",
    },
    { name: "overwrite", help: "replace objects of the store that differ from those of the source" },
    { name: "drop-unknown-fields", help: "import objects with fields that this release does not have, without these fields" },
  ] as const,
);

export const outputFlag = Object.freeze(
  { name: "output", letter: "o", value: "FORMAT", values: ["text", "json"], help: "form of the result: text or json" } as const,
);
