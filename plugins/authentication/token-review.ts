import { boolean, defineResource, field, type Infer, list, object, StatusError, string, structsOf } from "../../plugin.ts";
import type { Access } from "../../toolbox.ts";
import { home, UserInfo, userInfoOf } from "./user-info.ts";

const struct = structsOf(home);

const TokenReviewSpec = struct("TokenReviewSpec", {
  token: field(1, string, "The opaque bearer token."),
  audiences: field(
    2,
    list(string),
    "Audiences of which the token must be for at least one. Empty: the audiences of the server.",
  ),
}, { doc: "The question of a TokenReview." });

const TokenReviewStatus = struct("TokenReviewStatus", {
  authenticated: field(1, boolean, "True if the token is that of a known user."),
  user: field(2, UserInfo, "The user of the token.", { written: "always" }),
  audiences: field(4, list(string), "The audiences of the question that the token is for. Empty: the token was checked for none."),
  error: field(3, string, "Why the token was not accepted."),
}, { doc: "The result of a TokenReview." });

const TokenReview = object("TokenReview", {
  spec: field(2, TokenReviewSpec, "The token and what it is reviewed for.", { required: true }),
  status: field(3, TokenReviewStatus, "Set by the server; a value sent by the client is replaced.", { written: "always" }),
}, { package: home, doc: "Checks a bearer token and returns its user. The answers may be cached for a few seconds." });
type TokenReview = Infer<typeof TokenReview>;

export const tokenReviews = defineResource<TokenReview>({
  kind: "TokenReview",
  scope: "Cluster",
  summary: "Checks a bearer token and returns its user.",
  storedAs: "authentication.{domain}/v1",
  served: { "authentication.{domain}/v1": { schema: TokenReview, introduced: "1.6" } },
  async handleCreate(next, { access }) {
    const { token = "", audiences = [] } = next.spec;
    if (token === "") throw new StatusError("BadRequest", "token is required for TokenReview in authentication");
    return { ...next, status: await review(access, token, audiences) };
  },
});

async function review(access: Access, token: string, asked: readonly string[]): Promise<TokenReview["status"]> {
  try {
    const found = await access.authenticateToken(token, asked);
    if (found === undefined) return { user: {}, error: "invalid bearer token" };
    const { user, audiences } = found;
    return { authenticated: true, user: userInfoOf(user), ...(audiences.length === 0 ? {} : { audiences }) };
  } catch (error) {
    return { user: {}, error: error instanceof Error ? error.message : String(error) };
  }
}
