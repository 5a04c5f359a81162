/** Group versions of the API that other servers have: how requests for them get there. */
import type { Api } from "./api.ts";
import type { ConnectReply, Forwarded, Peers } from "./connect.ts";
import type { Gates } from "./controller.ts";
import type { Names } from "./names.ts";
import type { SettingOf } from "./part.ts";
import type { UserInfo } from "./user-info.ts";

/** A group version that is registered, whether this server has it or another one. */
export interface RegisteredVersion {
  /** The API group; "" for the core group. */
  readonly group: string;
  /** The version, such as `v1`. */
  readonly version: string;
  /** The priority of the group in discovery: a group with a higher number comes first. */
  readonly groupPriority: number;
  /** The priority of the version in its group. */
  readonly versionPriority: number;
  /** Whether requests go to another server. */
  readonly isRemote: boolean;
  /** The server that has it: versions of one server share its documents. "" for this server. */
  readonly server: string;
}

/** A request for a group version that another server has. */
export interface DelegatedRequest extends Forwarded {
  /** The user, whom the other server gets in headers. */
  readonly user: UserInfo;
}

/** What a delegate gets. It is valid while the server runs. */
export interface DelegateContext {
  /** The names that replace `{domain}` and `{platform}`. */
  readonly names: Names;
  /** The API in process, as a member of system:masters. */
  readonly api: Api;
  /** The state of the feature gates. */
  readonly gates: Gates;
  /** Reads the settings in force. */
  readonly setting: SettingOf;
  /** Reaches other servers. */
  readonly peers: Peers;
  /** Logs an error: a sentence without secrets, and the error. */
  readonly logError: (sentence: string, error?: unknown) => void;
  /** Called when the list of versions has changed, or how one of them is reached. */
  readonly changed: () => void;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

/** Knows which group versions other servers have, and passes requests on. */
export interface Delegate {
  /** Resolves when the registered versions are known. */
  readonly ready: Promise<void>;
  /** Returns the registered versions; the same list while nothing has changed. */
  versions(): readonly RegisteredVersion[];
  /** Passes a request on to the server of a version. The reply is that of the other server, or says that there is none. */
  forward(version: RegisteredVersion, request: DelegatedRequest): Promise<ConnectReply>;
}

/** Makes the delegate of a server. */
export interface DelegateDefinition {
  /** Starts to follow what is registered. Must not throw. */
  open(context: DelegateContext): Delegate;
}
