/**
 * Holds writes back until start hooks that must come first have finished: those with `holdsWrites` (upstream: WithStorageVersionPrecondition).
 * Requests of the server itself are not held: kube-apiserver lets only its namespaces through, and tries the others again.
 */
import { spell } from "../../core/names.ts";
import { groupText, StatusError } from "../../core/status-error.ts";
import { systemGroups, type UserInfo } from "../../core/user-info.ts";
import type { StartUp } from "../../health/mod.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import type { RequestInfo } from "../../kernel/request/request-info.ts";

const reads: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** Returns the error of a user's request that must wait, until all hooks that hold writes have finished. */
type Held = (user: UserInfo, info: RequestInfo) => StatusError | undefined;

/** `catalog` returns the active one. */
export function heldWrites(catalog: () => Catalog, start: Pick<StartUp, "all">): Held {
  const held = holdingHooks(catalog());
  let isOver = held.length === 0;
  if (!isOver) void start.all(held.map(({ name }) => name)).then(() => isOver = true);
  const free = held.map(({ holdsWrites: { own } }) => spell(catalog().names, own));
  return (user, info) => isOver || isOfServer(user) ? undefined : errorOf(info, catalog(), free);
}

/** Whether this is the user of the server's own requests. */
function isOfServer({ name, groups }: UserInfo): boolean {
  return name === "system:apiserver" && groups.includes(systemGroups.masters);
}

/** The hooks that hold writes under these gates. */
function holdingHooks({ plugins, gates }: Catalog) {
  return plugins.flatMap(({ startHooks = [] }) => startHooks).flatMap(({ name, holdsWrites }) =>
    holdsWrites !== undefined && gates.isOn(holdsWrites.gate) ? [{ name, holdsWrites }] : []
  );
}

function errorOf(info: RequestInfo, catalog: Catalog, free: readonly string[]): StatusError | undefined {
  const { isResourceRequest, verb, group, version, resource, namespace } = info;
  if (!isResourceRequest || reads.has(verb)) return undefined;
  const name = groupText({ group, name: resource });
  if (free.includes(name)) return undefined;
  // Leases of servers and elections in this namespace become stale otherwise.
  if (name === spell(catalog.names, "leases.coordination.{domain}") && namespace === "kube-system") return undefined;
  const definition = catalog.endpoint(group, version, resource)?.resource;
  if (definition === undefined || definition.custom === true || definition.storedUnder === undefined) return undefined;
  const text = `wait for storage version registration to complete for resource: ${name}, last seen error: <nil>`;
  return new StatusError("ServiceUnavailable", text);
}
