/** The program `thole --test-control`: a test server with its control. */
import type { UnderTest } from "../../server/process/under-test.ts";
import { openConfigured } from "../server.ts";
import { serveControl } from "./control.ts";

/** Opens a test server of these settings, and listens. */
export const serveUnderTest: UnderTest = async ({ config, plugins, active }, log) => {
  const server = await openConfigured(plugins, active, log);
  try {
    const { listener: { url, kubeconfig }, token, close } = await serveControl(server, {
      log,
      host: config["bind-address"],
      port: config["secure-port"],
    });
    return { url, kubeconfigText: kubeconfig, token, close };
  } catch (error) {
    await server.close();
    throw error;
  }
};
