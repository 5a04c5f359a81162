/** The state of a test server: what it has is loaded. */
import type { Api } from "../../core/api.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Opened } from "../../server/startup/open-server.ts";
import { manifestsAt } from "../files/manifests.ts";
import { type CopiedServer, copyObjects } from "./copy.ts";
import { documentsOf, type ManifestDocument, objectsIn } from "./documents.ts";
import { loadDocuments, untilDefined } from "./load.ts";
import { withoutPlaceholders } from "./steady-form.ts";

/** An object as it is written in a manifest. */
export interface Manifest {
  /** The group version, such as `apps/v1`. */
  readonly apiVersion: string;
  /** The kind, such as `Deployment`. */
  readonly kind: string;
  /** Name, namespace and the like. */
  readonly metadata?: object;
}

/**
 * What a server loads: the text of manifests in YAML or JSON, objects, a file or a folder with the files below it, or all objects of
 * another test server.
 */
export type Loadable = string | Manifest | readonly Manifest[] | URL | { readonly path: string } | ServerState;

/** The state of a test server as a whole. */
export interface ServerState {
  /**
   * Creates objects, or applies those that exist, as a member of system:masters. Definitions come first, then namespaces, then owners before what they own;
   * the references to owners of the same load get their uids. The status of a manifest is written, too. Objects of another
   * test server are copied with all of their metadata, and nothing is admitted or validated again.
   *
   *     await server.load({ path: "fixtures" });
   *
   * @returns what was stored, in the order of the documents; nothing for another server
   * Rejects with `LoadError`, which names the file and the document of each problem. The other documents are loaded then.
   */
  load(what: Loadable): Promise<readonly ApiObject[]>;
}

/** The open servers of this process, by their state. */
const opened = new WeakMap<object, () => Opened>();

/** Makes it known which server has a state, so that other servers can load it. */
export function rememberServer(state: ServerState, server: () => Opened): void {
  opened.set(state, server);
}

/** Resolves with whether all hooks of the start have ended; false after a bounded wait. */
export async function isStarted(state: ServerState): Promise<boolean> {
  return await opened.get(state)?.().started ?? false;
}

/** Makes the state of an open server. */
export function serverState(own: () => Opened, api: Api): ServerState {
  return {
    async load(what) {
      const other = typeof what === "string" ? undefined : opened.get(what);
      if (other !== undefined) {
        await untilDefined(api, await copyObjects(copied(other()), copied(own())));
        return [];
      }
      const documents = await documentsIn(what as Exclude<Loadable, ServerState>); // all of them are remembered
      return await loadDocuments(documents.map(loadable), { api, fieldManager: "load" });
    },
  };
}

function copied({ server: { backend: { store, prefix }, catalog } }: Opened): CopiedServer {
  return { store, prefix, catalog };
}

/** A dumped object has no times and uids. */
function loadable(document: ManifestDocument): ManifestDocument {
  return document.object === undefined ? document : { ...document, object: withoutPlaceholders(document.object) };
}

async function documentsIn(what: Exclude<Loadable, ServerState>): Promise<readonly ManifestDocument[]> {
  if (typeof what === "string") return documentsOf(what, "manifests");
  if (what instanceof URL || "path" in what) {
    const files = await manifestsAt(what instanceof URL ? what : what.path);
    return files.flatMap((file) => "text" in file ? documentsOf(file.text, file.place) : [file]);
  }
  return objectsIn(what, "manifests");
}
