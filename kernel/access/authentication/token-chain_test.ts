import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../../../core/status-error.ts";
import type { Exchange } from "../../request/exchange.ts";
import { type TokenAuthenticator, TokenRefusal } from "../../../core/token-authenticator.ts";
import { tokenFile } from "../../../plugins/authentication/token-file.ts";
import { authenticateInOrder, authenticateTokens, bearerTokens, refusalText } from "./mod.ts";
import { headerBytesMax } from "./token-chain.ts";

const carol = { user: { name: "carol", groups: [] }, audiences: [] };
const answers = (name: string, answer: () => Promise<typeof carol | undefined | "refused">): TokenAuthenticator => ({
  name,
  authenticateToken: answer,
});
const none = answers("none", () => Promise.resolve(undefined));
const refuses = answers("refuses", () => Promise.resolve("refused"));
const explains = answers("explains", () => Promise.reject(new TokenRefusal("token has expired")));
const fails = answers("fails", () => Promise.reject(new Error("connection refused")));
const accepts = answers("accepts", () => Promise.resolve(carol));

function chain(...authenticators: readonly TokenAuthenticator[]) {
  const reports: string[] = [];
  const authenticate = authenticateTokens({
    authenticators: () => authenticators,
    audiences: () => ["here"],
    report: (name) => reports.push(name),
  });
  return { authenticate, reports };
}

test("authenticateTokens() takes the first authenticator that accepts, whatever those before it said", async () => {
  const { authenticate, reports } = chain(none, refuses, explains, fails, accepts, fails);
  assert.deepEqual(await authenticate("t", []), { tag: "accepted", accepted: carol });
  assert.deepEqual(reports, ["fails"], "a failure is reported, a refusal is not");
});

test("authenticateTokens() distinguishes failures from refusals and lists their reasons", async () => {
  assert.deepEqual(await chain(none, refuses).authenticate("t", []), { tag: "refused", reasons: [] });
  assert.deepEqual(await chain(explains, refuses).authenticate("t", []), { tag: "refused", reasons: ["token has expired"] });
  assert.deepEqual(await chain(fails, explains).authenticate("t", []), {
    tag: "failed",
    reasons: ["connection refused", "token has expired"],
  });
});

test("authenticateTokens() asks for the audiences of the server unless others are named", async () => {
  const asked: (readonly string[])[] = [];
  const authenticator: TokenAuthenticator = {
    name: "asked",
    authenticateToken: (_, audiences) => Promise.resolve(void asked.push(audiences)),
  };
  const { authenticate } = chain(authenticator);
  await authenticate("t", []);
  await authenticate("t", ["vault"]);
  assert.deepEqual(asked, [["here"], ["vault"]]);
});

test("authenticateTokens() calls no authenticator for a token that is longer than the headers of a request may be", async () => {
  const { authenticate } = chain(accepts);
  assert.equal((await authenticate("t".repeat(headerBytesMax), [])).tag, "accepted");
  assert.deepEqual(await authenticate("t".repeat(headerBytesMax + 1), []), { tag: "refused", reasons: [] });
});

test("authenticateTokens() calls authenticators that are objects of a class", async () => {
  class Counting implements TokenAuthenticator {
    readonly name = "counting";
    #calls = 0;
    authenticateToken() {
      return Promise.resolve({ user: { name: `call ${++this.#calls}`, groups: [] }, audiences: [] });
    }
  }
  const outcome = await chain(new Counting()).authenticate("t", []);
  assert.equal(outcome.tag === "accepted" && outcome.accepted.user.name, "call 1");
});

test("tokenFile() accepts tokens for audiences of the server only", async () => {
  const tokens = tokenFile("t,alice,1\n", () => ["a", "b", "c"]);
  const user = { name: "alice", uid: "1", groups: [] };
  assert.deepEqual(await tokens.authenticateToken("t", []), { user, audiences: [] });
  assert.deepEqual(await tokens.authenticateToken("t", ["c", "x", "a"]), { user, audiences: ["a", "c"] });
  assert.equal(await tokens.authenticateToken("t", ["x"]), undefined);
  assert.equal(await tokens.authenticateToken("u", []), undefined);
});

test("tokenFile() keeps its tokens when the file is emptied or has a quote that upstream's parser rejects", async () => {
  const tokens = tokenFile('t,alice,1,"a,b"\n');
  const user = { name: "alice", uid: "1", groups: ["a", "b"] };
  for (const text of ["", "\n \n"]) assert.throws(() => tokens.replace(text), { message: "the token file has no tokens" });
  assert.throws(() => tokens.replace('u,bob,2\nv,carol,3,"a\n'), { message: "token file, line 2: a quote is not closed" });
  assert.throws(() => tokens.replace('u,bo"b,2\n'), { message: "token file, line 1: a quote within a field, at character 5" });
  assert.deepEqual(await tokens.authenticateToken("t", []), { user, audiences: [] });
  tokens.replace("u,bob,2\n");
  assert.equal(await tokens.authenticateToken("t", []), undefined);
  // A start without tokens is possible.
  tokenFile("").replace("");
});

test("refusalText() lists distinct reasons in brackets, as upstream", () => {
  assert.equal(refusalText([]), "invalid bearer token");
  assert.equal(refusalText(["expired", "invalid bearer token", "expired"]), "[invalid bearer token, expired]");
});

test("authenticateInOrder() counts a failure of an authenticator as an error, and answers 401 as for a refusal", async () => {
  const results: string[] = [];
  // `as`: authenticators of tokens read nothing else of an exchange.
  const exchange = { headers: { authorization: "Bearer t" } } as unknown as Exchange;
  for (const [authenticator, want] of [[fails, "error"], [explains, "failure"], [none, "failure"], [accepts, "success"]] as const) {
    const authenticate = authenticateInOrder(
      () => [bearerTokens(chain(authenticator).authenticate)],
      () => true,
      (result) => results.push(result),
    );
    if (want === "success") assert.equal((await authenticate(exchange)).name, "carol");
    else await assert.rejects(authenticate(exchange), (error) => error instanceof StatusError && error.code === 401);
    assert.equal(results.pop(), want);
  }
});
