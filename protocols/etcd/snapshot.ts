/** The database of a member of etcd, in pieces. The store itself makes no such request. */
import { protobufjs } from "../../core/codec/protobufjs.ts";
import type { Method } from "../grpc/grpc.ts";

/** A piece of the database, with the number of bytes that are left. */
export interface SnapshotReply {
  readonly blob: Uint8Array;
  readonly remaining: number;
}

const nothing = new Uint8Array();

/** The database and its hash. The request has no members. */
export const snapshot: Method<"all", SnapshotReply> = {
  path: "/etcdserverpb.Maintenance/Snapshot",
  encode: () => nothing,
  decode(bytes) {
    const reader = protobufjs().Reader.create(bytes);
    let blob: Uint8Array = nothing, remaining = 0;
    while (reader.pos < reader.len) {
      const head = reader.uint32();
      if (head === 0x10) remaining = Number(reader.uint64().toString());
      else if (head === 0x1a) blob = reader.bytes();
      else reader.skipType(head & 7);
    }
    return { blob, remaining };
  },
};
