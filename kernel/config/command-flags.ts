/** Flags of single commands: they are no settings of a server. Help, completion and the man page are derived from them. */

export interface OwnFlag {
  /** The form of its value in help; "" for a switch. */
  readonly value: string;
  readonly help: string;
  /** Whether the value is a file or a folder, for completion and permissions. */
  readonly isPath?: boolean;
  /** Whether it has several values, separated by commas. */
  readonly isList?: boolean;
  /** The only values. */
  readonly words?: readonly string[];
}

/** The store of another server. */
export const sourceFlags = Object.freeze(
  {
    "from-snapshot": { value: "<file>", isPath: true, help: "Read a snapshot of etcd (etcdctl snapshot save)." },
    "skip-hash-check": { value: "", help: "Accept a snapshot without a checksum, such as a copied database, or with a wrong one." },
    "from-data-dir": { value: "<folder>", isPath: true, help: "Read the data folder of an etcd that is stopped." },
    "from-etcd-servers": { value: "<a,b,...>", isList: true, help: "Read from a running etcd at these URLs." },
    "from-etcd-cafile": { value: "<file>", isPath: true, help: "Authorities of the certificate of that etcd." },
    "from-etcd-certfile": { value: "<file>", isPath: true, help: "Client certificate for that etcd." },
    "from-etcd-keyfile": { value: "<file>", isPath: true, help: "Key of the client certificate for that etcd." },
    "from-etcd-prefix": { value: "<text>", help: "Prefix of the keys of that server (default /registry)." },
    "encryption-provider-config": {
      value: "<file>",
      isPath: true,
      help: "The file of that server's flag of this name: decrypts values of the providers aescbc and aesgcm.",
    },
  } as const satisfies Readonly<Record<string, OwnFlag>>,
);

export const importFlags = Object.freeze(
  {
    list: { value: "", help: "Write nothing: show what the source has, by kind and namespace, and what would be imported." },
    skip: { value: "<a,b,...>", isList: true, help: "Leave out these resources, such as secrets or widgets.example.com." },
    include: { value: "<a,b,...>", isList: true, help: "Import these resources too, which are left out by default: events, leases." },
    overwrite: { value: "", help: "Replace objects of the store that differ from those of the source." },
    "drop-unknown-fields": { value: "", help: "Import objects with fields that this release does not have, without these fields." },
  } as const satisfies Readonly<Record<string, OwnFlag>>,
);

export const outputFlag = Object.freeze(
  { output: { value: "<text|json>", words: ["text", "json"], help: "Form of the result; also -o." } } as const satisfies Readonly<
    Record<string, OwnFlag>
  >,
);
