/** The settings of the store: etcd, or the embedded one, and what is encrypted in it. */
import { duration, fixed, list, live, text } from "./setting.ts";

export interface StoreConfig {
  readonly "etcd-servers": readonly string[];
  readonly "etcd-servers-overrides": readonly string[];
  readonly "etcd-prefix": string;
  readonly "etcd-cafile": string;
  readonly "etcd-certfile": string;
  readonly "etcd-keyfile": string;
  readonly "etcd-compaction-interval": number;
  readonly "encryption-provider-config": string;
}

/** Why a setting is fixed: the name of a file that is followed. */
export const isFollowed = "a new path needs a restart; the file's content is reloaded when it changes";
/** Why a setting is fixed: the place of the store. */
export const isStore = "stored objects would stay in the old place";

export const storeSettings = Object.freeze({
  "etcd-servers": fixed(
    isStore,
    list("etcd endpoints (scheme://host:port, comma-separated); empty uses the embedded store."),
  ),
  "etcd-servers-overrides": fixed(
    isStore,
    list(
      "Other etcds for single resources: group/resource#server;server, comma-separated, such as /events#http://10.0.0.1:2379. The resource * stands for all " +
        "of a group. Custom resources are always in the etcd of --etcd-servers.",
    ),
  ),
  "etcd-prefix": fixed(isStore, text("/registry", "Prefix of every key in the store.")),
  "etcd-cafile": fixed(isFollowed, text("", "PEM bundle of CAs that verify etcd's certificate.")),
  "etcd-certfile": fixed(isFollowed, text("", "PEM client certificate for etcd.")),
  "etcd-keyfile": fixed(isFollowed, text("", "PEM private key of the client certificate for etcd.")),
  "encryption-provider-config": fixed(
    isFollowed,
    text(
      "",
      "File with an EncryptionConfiguration: resources that are encrypted in the store, and the keys. The first key of a resource writes, all read. " +
        "Empty: everything is stored in the clear.",
    ),
  ),
  "etcd-compaction-interval": live(
    duration(5 * 60_000, "Age of the history kept for watches and continued lists; 0 disables compaction."),
  ),
});
