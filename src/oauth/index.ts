import { Hono, type Context } from "hono";
import {
  exchangeClientSecret,
  type AccessGrant,
  type ExchangeRefusal,
} from "../actions/credentials/exchange-secret";
import { permissions } from "../domain/credential/permissions";
import { problem } from "../domain/problem/problem";
import { signingKeys } from "../domain/credential/signature";
import type { Presented } from "../domain/credential/token";
import type { AppEnv } from "../env";
import { exchangeSecret } from "../http/doors/admit";
import { answerPreflight, isPreflight, publicly, shareWith } from "../http/doors/cross-origin";
import { originOf } from "../http/request/host";
import { only } from "../http/doors/methods";
import { refusalOfBody } from "../http/request/whole-body";
import { unauthenticated } from "../http/doors/authenticate";
import { clientOf, readRequest, refuse, unknownClient, type Refusal } from "./token-request";

const mostBytes = 16 * 1024;

/** OAuth 2.0 client credentials (RFC 6749, section 4.4) and its metadata (RFC 8414). */
export const oauth = new Hono<AppEnv>()
  .use("/oauth/token", async (c, next) => (isPreflight(c) ? answerPreflight(c, ["POST"]) : next()))
  .post("/oauth/token", async (c) => {
    c.header("Cache-Control", "no-store");
    c.header("Pragma", "no-cache");
    const answer = await exchange(c);
    if ("access_token" in answer) return c.json(answer);
    if (answer.error !== "invalid_client") return c.json(answer, 400);
    // An address that fails too often is told to wait instead.
    const failure = await unauthenticated(c, true);
    if (failure.code === "rate_limited") throw failure;
    // RFC 6749, section 5.2: a challenge only to who came by that scheme, as clients show it instead of the answer.
    const challenge = { "WWW-Authenticate": 'Basic realm="edge-forms"' };
    return c.json(answer, 401, c.req.header("Authorization") === undefined ? {} : challenge);
  })
  .use("/.well-known/oauth-authorization-server", publicly)
  .get("/.well-known/oauth-authorization-server", (c) => {
    const issuer = originOf(c);
    return c.json(
      {
        issuer,
        // No grant here uses one, but widespread clients read no metadata without it: people are told how to connect.
        authorization_endpoint: `${issuer}/docs/mcp`,
        token_endpoint: `${issuer}/oauth/token`,
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
        grant_types_supported: ["client_credentials"],
        response_types_supported: [],
        scopes_supported: permissions,
      },
      200,
      { "Cache-Control": "public, max-age=3600" },
    );
  })
  .all("/oauth/token", only("POST"))
  .all("/.well-known/oauth-authorization-server", only("GET"));

interface Issued {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  scope: string;
}

async function exchange(c: Context<AppEnv>): Promise<Issued | Refusal> {
  const refusal = await refusalOfBody(c, mostBytes);
  if (refusal) return refuse("invalid_request", refusal.detail);
  const asked = await readRequest(c);
  if ("error" in asked) return asked;
  const client = clientOf(c.req.header("Authorization"), asked);
  if ("error" in client) return client;
  const { grant_type: grantType } = asked;
  if (!grantType) return refuse("invalid_request", "grant_type is missing.");
  const ctx = {
    keys: signingKeys(c.env.TOKEN_SECRET),
    now: () => Date.now(),
    admit: async (presented: Presented) => {
      const exchanged = await exchangeSecret(c.env, presented);
      if (exchanged && "grant" in exchanged) shareWith(c, exchanged.grant.origins);
      return exchanged;
    },
  };
  const exchanged = await exchangeClientSecret(ctx, client, {
    grantType,
    scope: asked.scope ?? null,
  });
  return "refusal" in exchanged ? refusalOf(exchanged) : issuedOf(exchanged);
}

function issuedOf({ accessToken, expiresIn, scope }: AccessGrant): Issued {
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: expiresIn,
    scope: scope.join(" "),
  };
}

function refusalOf(refused: ExchangeRefusal): Refusal {
  switch (refused.refusal) {
    case "unknown_client":
      return unknownClient();
    case "too_many":
      throw problem.rateLimited(refused.retryAfter, "This client asks for too many access tokens.");
    case "unsupported_grant_type":
      return refuse("unsupported_grant_type", "The grant type is client_credentials.");
    case "invalid_scope":
      return refuse("invalid_scope", `The scope must be among: ${refused.had.join(" ")}`);
  }
}
