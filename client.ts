/**
 * `thole/client`: a typed client of any Kubernetes API server, for programs. It starts no server.
 *
 *     import { clientFrom } from "thole/client";
 *
 *     await using client = await clientFrom({ kubeconfig: "/home/me/.kube/config" });
 *     for await (const page of client.of(ships).pages("", 500)) for (const ship of page.items) console.log(ship.spec.sails);
 */
export { type Client, clientFrom, type ClientOptions, type ServerAccess } from "./client/client.ts";
export { StatusError } from "./core/status-error.ts";
