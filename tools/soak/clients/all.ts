/** All clients of a soak. */
import type { SoakClient } from "../client.ts";
import { curl } from "./curl.ts";
import { httpx } from "./httpx.ts";
import { informers } from "./informers.ts";
import { kubectl } from "./kubectl.ts";
import { nodeClient } from "./node.ts";

export const allClients: readonly SoakClient[] = [kubectl, informers, curl, nodeClient("HTTP/2"), nodeClient("HTTP/1.1"), httpx];
