/** Access to devices for administration, which a label of the namespace must allow. */
import { type FieldError, forbidden, type RequestHookContext } from "../../plugin.ts";
import { invalidError, spell } from "../../toolbox.ts";
import type { DeviceRequest } from "./claim-schema.ts";

/** The path of the first request with such access; undefined if there is none. As upstream, the path lacks `exactly`, and for templates `spec`. */
export function requestedAccess(requests: readonly DeviceRequest[] | null | undefined): string | undefined {
  const index = (requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
  return index < 0 ? undefined : `spec.devices.requests[${index}].adminAccess`;
}

/**
 * Throws 422 if the namespace does not allow the access. The error is followed by those of the other rules, because upstream reports all
 * together.
 */
export async function checkAccess(
  path: string | undefined,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
  context: RequestHookContext,
  others: () => readonly FieldError[],
): Promise<undefined> {
  if (path === undefined) return undefined;
  const label = spell(context.names, "resource.{platform}.io/admin-access");
  const found = await context.read.get("v1", "namespaces", "", namespace);
  const { labels = {} } = found?.metadata ?? {};
  if (Object.hasOwn(labels, label) && labels[label] === "true") return undefined;
  const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  throw invalidError({ group: context.resource.group, name: kind }, name, [forbidden(path, detail), ...others()]);
}
