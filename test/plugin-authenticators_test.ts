// An authenticator of a plugin, that of docs/writing-a-plugin.md: its users, its refusals in log and audit, and its order.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Plugin } from "../core/plugin.ts";
import { definePlugin } from "../plugin.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { send } from "./requests.ts";

interface Signed {
  readonly method: string;
  readonly url: string;
  readonly name: string;
  readonly time: number;
}
/** The exports of the page's block. */
interface OfThePage {
  readonly signedHeaderPlugin: (secret: string) => Plugin;
  readonly signedUser: (secret: string, signed: Signed) => string;
}

async function ofThePage(use: (example: OfThePage, folder: string) => Promise<void>): Promise<void> {
  const page = await readFile(new URL("../docs/writing-a-plugin.md", import.meta.url), "utf8");
  const code = /^```ts signed-header\n([\s\S]*?)^```$/m.exec(page)?.[1];
  assert.ok(code !== undefined && page.includes('await server.handle(request, "authenticate")'), "the blocks of the page");
  const folder = await mkdtemp(join(tmpdir(), "thole-authenticator-"));
  try {
    const file = join(folder, "signed-header.ts");
    await writeFile(file, code.replaceAll('"thole/plugin"', JSON.stringify(new URL("../plugin.ts", import.meta.url).href)));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await use(await import(pathToFileURL(file).href), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const review = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

/** Asks who the user is. */
function whoAmI(server: TestServer, headers: Readonly<Record<string, string>>): Promise<Response> {
  return send(server, "POST", review, {}, { headers, user: "authenticate" });
}

test("a plugin's authenticator accepts a signed header, and refuses another signature, another request and a replay after a minute", () =>
  ofThePage(async ({ signedHeaderPlugin, signedUser }, folder) => {
    const plugin = signedHeaderPlugin("secret"), now = Date.now();
    const sign = (given: Partial<Signed> = {}, secret = "secret") =>
      signedUser(secret, { method: "POST", url: review, name: "carol", time: now, ...given });
    const policy = join(folder, "policy.yaml"), audit = join(folder, "audit.log");
    await writeFile(policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n");
    const server = await openTestServer({ plugins: [plugin], settings: { "audit-policy-file": policy, "audit-log-path": audit } });
    const refusals: readonly (readonly [header: string, reason: string])[] = [
      [sign({}, "another secret"), "the signature is wrong"],
      [sign({ method: "DELETE" }), "the signature is wrong"],
      [sign({ url: "/api" }), "the signature is wrong"],
      [sign().replace("carol", "admin"), "the signature is wrong"],
      [sign({ time: now - 61_000 }), "the signature is more than a minute old"],
      ["carol", "the header is malformed"],
    ];
    try {
      const accepted = await whoAmI(server, { "x-signed-user": sign() });
      assert.equal(accepted.status, 201);
      assert.deepEqual((await accepted.json()).status.userInfo, { username: "signed:carol", groups: ["signed", "system:authenticated"] });
      for (const [header, reason] of refusals) {
        const refused = await whoAmI(server, { "x-signed-user": header });
        assert.equal(refused.status, 401, reason);
        assert.equal((await refused.json()).message, "Unauthorized", "the client learns nothing");
        const id = refused.headers.get("audit-id")!;
        const line = server.logged.find((each) => each.includes(id));
        assert.match(line ?? "", /Unable to authenticate the request/);
        assert.equal(JSON.parse(line!).error, `signed-header: ${reason}`);
      }
      const none = await whoAmI(server, {});
      assert.equal(none.status, 403, "without the header the user is anonymous, who may not ask");
    } finally {
      await server.close();
    }
    const reasons = (await readFile(audit, "utf8")).trimEnd().split("\n").map((line) =>
      JSON.parse(line).annotations?.["authentication.k8s.io/reason"]
    ).filter((reason) => reason !== undefined);
    assert.deepEqual(reasons, refusals.map(([, reason]) => `signed-header: ${reason}`));
  }));

test("the signature of the page is valid for a minute, to the millisecond", () =>
  ofThePage(async ({ signedHeaderPlugin, signedUser }) => {
    const { authenticators: [definition] = [] } = signedHeaderPlugin("secret");
    const opened = await definition!.open({} as any); // `any`: this authenticator uses nothing of its context
    const signed = { method: "GET", url: "/", name: "carol", time: 1_000_000 };
    const headers = { "x-signed-user": signedUser("secret", signed) };
    const at = (now: number) => opened!.authenticate!({ ...signed, headers, now, certificate: undefined, signal: AbortSignal.abort() });
    assert.deepEqual(at(1_060_000), { user: { name: "signed:carol", groups: ["signed"] } });
    assert.deepEqual(at(940_000), { user: { name: "signed:carol", groups: ["signed"] } });
    for (const now of [1_060_001, 939_999]) assert.deepEqual(at(now), { refused: "the signature is more than a minute old" });
  }));

test("an authenticator runs after those of the server, or first if it says so, and ends with the server", async () => {
  const signals: AbortSignal[] = [], asked: string[] = [];
  const plugin = (name: string, runsFirst?: true): Plugin =>
    definePlugin({
      name,
      summary: "Accepts everybody.",
      authenticators: [{
        name,
        summary: "Accepts everybody.",
        ...(runsFirst === undefined ? {} : { runsFirst }),
        open({ signal }) {
          signals.push(signal);
          return {
            authenticate({ headers }) {
              asked.push(name);
              const accepts = headers["x-accept"] === name;
              return accepts ? { user: { name, groups: [] } } : runsFirst === undefined ? undefined : { refused: "another name" };
            },
          };
        },
      }],
    });
  const server = await openTestServer({ plugins: [plugin("last"), plugin("first", true)] });
  const user = async (headers: Record<string, string>) => {
    asked.length = 0;
    const answer = await whoAmI(server, headers);
    return [answer.status === 201 ? (await answer.json()).status.userInfo.username : answer.status, ...asked];
  };
  assert.deepEqual(await user({ "x-accept": "first", authorization: "Bearer unknown" }), ["first", "first"]);
  assert.deepEqual(
    await user({ "x-accept": "last", authorization: "Bearer unknown" }),
    ["last", "first", "last"],
    "a refusal ends nothing",
  );
  assert.deepEqual(await user({}), [401, "first", "last"], "the refusal counts, though no other has an opinion");
  assert.deepEqual(signals.map(({ aborted }) => aborted), [false, false]);
  await server.close();
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
});

test("an authenticator of tokens decides about bearer tokens of requests and about TokenReviews", async () => {
  const authenticateToken = ({ token }: { readonly token: string }) => {
    if (token === "old-ticket") return { refused: "the ticket has expired" };
    return token === "ticket" ? { user: { name: "carol", groups: ["guests"] } } : undefined;
  };
  const tickets = { name: "tickets", summary: "Accepts tickets.", open: () => ({ authenticateToken }) };
  await using server = await openTestServer({
    plugins: [definePlugin({ name: "tickets", summary: "Tickets.", authenticators: [tickets] })],
  });
  const accepted = await whoAmI(server, { authorization: "Bearer ticket" });
  assert.deepEqual((await accepted.json()).status.userInfo, { username: "carol", groups: ["guests", "system:authenticated"] });
  assert.equal((await whoAmI(server, { authorization: "Bearer old-ticket" })).status, 401);
  assert.equal((await whoAmI(server, { authorization: "Bearer other" })).status, 401);
  const statusOf = async (spec: object) =>
    (await server.api.create("authentication.k8s.io/v1", "tokenreviews", "", { spec }) as any).status;
  assert.deepEqual((await statusOf({ token: "ticket" })).user, { username: "carol", groups: ["guests", "system:authenticated"] });
  assert.equal((await statusOf({ token: "ticket", audiences: ["vault"] })).authenticated ?? false, false);
  assert.match((await statusOf({ token: "old-ticket" })).error, /tickets: the ticket has expired/);
});
