import { type ApiObject, notFoundError, type RequestHookContext } from "../../../plugin.ts";

/** The namespace of the request. A pod of a namespace that does not exist is rejected (404). */
export async function namespaceOf({ request: { namespace }, server, read }: RequestHookContext): Promise<ApiObject> {
  const found = await server.recentObject("v1", "namespaces", "", namespace) ?? await read.get("v1", "namespaces", "", namespace);
  if (found === undefined) throw notFoundError({ group: "", name: "namespaces" }, namespace);
  return found;
}
