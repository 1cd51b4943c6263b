import { Hono, type Context } from "hono";
import { permissions, type Permission } from "../domain/credential/permissions";
import { problem } from "../domain/problem/problem";
import { signingKeys } from "../domain/credential/signature";
import { makeAccessToken, readSecret } from "../domain/credential/token";
import type { AppEnv } from "../env";
import { exchangeSecret } from "../http/doors/admit";
import { originOf } from "../http/doors/host";
import { only } from "../http/doors/methods";
import { refusalOfBody } from "../http/doors/whole-body";
import { unauthenticated } from "../http/doors/authenticate";
import { clientOf, readRequest, refuse, unknownClient, type Refusal } from "./token-request";

const mostBytes = 16 * 1024;

/** OAuth 2.0 client credentials (RFC 6749, section 4.4) and its metadata (RFC 8414). */
export const oauth = new Hono<AppEnv>()
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
  .get("/.well-known/oauth-authorization-server", (c) => {
    const issuer = originOf(c);
    return c.json(
      {
        issuer,
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

const lifetime = 3600;

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
  const keys = signingKeys(c.env.TOKEN_SECRET);
  const presented = await readSecret(keys, "efs", client.secret);
  if (!presented || client.id !== `efc_${presented.credentialId}`) return unknownClient();
  const exchanged = await exchangeSecret(c.env, presented);
  if (!exchanged) return unknownClient();
  if ("retryAfter" in exchanged) {
    throw problem.rateLimited(exchanged.retryAfter, "This client asks for too many access tokens.");
  }
  if (grantType !== "client_credentials") {
    return refuse("unsupported_grant_type", "The grant type is client_credentials.");
  }
  const scope = scopeOf(asked.scope, exchanged.grant.permissions);
  if (!scope) {
    const had = exchanged.grant.permissions.join(" ");
    return refuse("invalid_scope", `The scope must be among: ${had}`);
  }
  const now = Date.now();
  const left = Math.floor(((exchanged.grant.expiresAt ?? Infinity) - now) / 1000);
  const expires_in = Math.min(lifetime, left);
  const access_token = await makeAccessToken(keys, {
    credentialId: presented.credentialId,
    secretId: exchanged.secretId,
    expiresAt: now + expires_in * 1000,
    scope,
  });
  return { access_token, token_type: "Bearer", expires_in, scope: scope.join(" ") };
}

/** What was asked for, if the client has all of it; everything that it has when nothing was asked. */
function scopeOf(asked: string | undefined, had: readonly Permission[]): Permission[] | undefined {
  const names = (asked ?? "").split(" ").filter((name) => name !== "");
  const scope = had.filter((permission) => names.length === 0 || names.includes(permission));
  return names.every((name) => scope.some((permission) => permission === name)) ? scope : undefined;
}
