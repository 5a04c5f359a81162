/** All clients of a soak. */
import type { SoakClient } from "../client.ts";
import { curl } from "./curl.ts";
import { kubectl } from "./kubectl.ts";
import { nodeClient } from "./node.ts";
import { httpx, informers } from "./processes.ts";

export const allClients: readonly SoakClient[] = [kubectl, informers, curl, nodeClient("HTTP/2"), nodeClient("HTTP/1.1"), httpx];
