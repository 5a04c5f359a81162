/** One rule, "at most 5 replicas", written in four ways: the section of docs/writing-a-plugin.md. */
import { type Admission, type ApiObject, definePlugin, defineResource, field, int32, object, type Plugin, struct } from "../../plugin.ts";
import { openTestServer, type TestServer } from "../../testing.ts";
import { type AdmissionWebhook, answered, openAdmissionWebhook, webhookOf } from "../admission-webhook.ts";
import { done } from "../requests.ts";

export const ways = Object.freeze(["none", "tree", "policy", "step", "webhook"] as const);
export type Way = typeof ways[number];

/** A server with the rule written in one way. */
export interface WayServer extends AsyncDisposable {
  readonly server: TestServer;
}

const message = "at most 5 replicas are allowed";
const home = "example.com/v1";
type Gadget = ApiObject & { readonly spec?: { readonly replicas?: number } };

function gadgetsPlugin(way: Way): Plugin {
  const spec = struct("GadgetSpec", {
    replicas: field(1, int32, "Number of replicas.", way === "tree" ? { rules: [{ rule: "self <= 5", message }] } : {}),
  });
  const gadgets = defineResource<Gadget>({
    kind: "Gadget",
    scope: "Namespaced",
    summary: "A kind for one rule.",
    storedAs: home,
    storedUnder: "gadgets",
    served: { [home]: { schema: object("Gadget", { spec: field(2, spec, "What is wanted.") }, { package: home }), introduced: "1.0" } },
  });
  const step: Admission<Gadget> = {
    name: "AtMostFive",
    resources: [gadgets],
    refuse: ({ spec }) => (spec?.replicas ?? 0) > 5 ? message : undefined,
  };
  return definePlugin({ name: "gadgets", summary: "Gadgets.", resources: [gadgets], ...(way === "step" ? { admission: [step] } : {}) });
}

const rule = { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["gadgets"] };
const registration = "/apis/admissionregistration.k8s.io/v1";

/** Opens the server. Its rule is in force. */
export async function openWay(way: Way): Promise<WayServer> {
  const server = await openTestServer({ plugins: [gadgetsPlugin(way)] });
  const webhook = way === "webhook" ? await openAdmissionWebhook(webhookAnswer) : undefined;
  if (way === "policy") await addPolicy(server);
  if (webhook !== undefined) await addWebhook(server, webhook);
  return {
    server,
    async [Symbol.asyncDispose]() {
      await server.close();
      await webhook?.close();
    },
  };
}

async function addPolicy(server: TestServer): Promise<void> {
  await done(server, "POST", `${registration}/validatingadmissionpolicies`, {
    metadata: { name: "five" },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "object.spec.replicas <= 5", message }] },
  });
  await done(server, "POST", `${registration}/validatingadmissionpolicybindings`, {
    metadata: { name: "five" },
    spec: { policyName: "five", validationActions: ["Deny"] },
  });
}

async function addWebhook(server: TestServer, webhook: AdmissionWebhook): Promise<void> {
  await done(server, "POST", `${registration}/validatingwebhookconfigurations`, {
    metadata: { name: "five" },
    webhooks: [webhookOf(webhook, { rules: [rule] })],
  });
}

const webhookAnswer: AdmissionWebhook["answer"] = (review) =>
  review.request.object.spec.replicas > 5 ? answered(review, { allowed: false, status: { message } }) : answered(review);

/** Creates a gadget in a dry run, so that nothing is stored. */
export function create({ server }: WayServer, name: string, replicas: number): Promise<Response> {
  const body = JSON.stringify({ apiVersion: home, kind: "Gadget", metadata: { name }, spec: { replicas } });
  return server.handle(
    new Request("http://localhost/apis/example.com/v1/namespaces/default/gadgets?dryRun=All", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    }),
  );
}
