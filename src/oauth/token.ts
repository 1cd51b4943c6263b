import * as z from "zod/mini";
import { type Context, Hono } from "hono";
import type { AppEnv } from "#http/env.ts";
import { exchangeClientSecret, type AccessGrant, type ExchangeRefusal } from "#actions/exchange-secret.ts";
import { permissions } from "#domain/credential/permissions.ts";
import { problem } from "#domain/problem/problem.ts";
import { signingKeys } from "#domain/credential/keys.ts";
import type { Presented } from "#domain/credential/tokens.ts";
import { exchangeSecret, unauthenticated } from "#http/authenticate.ts";
import { answerPreflight, isPreflight, publicly, shareWith, only } from "#http/cors.ts";
import { originOf } from "#http/request.ts";
import { refusalOfBody } from "#http/body.ts";

/** RFC 6749, section 5.2. */
export interface Refusal {
  error:
    | "invalid_request"
    | "invalid_client"
    | "unauthorized_client"
    | "unsupported_grant_type"
    | "invalid_scope";
  error_description: string;
}

export function refuse(error: Refusal["error"], error_description: string): Refusal {
  return { error, error_description };
}

export function unknownClient(): Refusal {
  return refuse("invalid_client", "The client is unknown, or its secret is wrong or ended.");
}

/** RFC 6749, section 3.2: a parameter without a value is one that was left out. */
const parameter = z.optional(
  z.pipe(
    z.string(),
    z.transform((sent) => sent || undefined),
  ),
);

/** A request for an access token (RFC 6749, section 4.4.2); other parameters are ignored. */
const tokenRequest = z.object({
  grant_type: parameter,
  client_id: parameter,
  client_secret: parameter,
  scope: parameter,
});
type TokenRequest = z.output<typeof tokenRequest>;

// Not by zod's validator for forms: that takes multipart bodies too, and mends what is no UTF-8.
export async function readRequest(c: Context<AppEnv>): Promise<TokenRequest | Refusal> {
  const form = await readForm(c);
  if (!form) {
    return refuse("invalid_request", "Send an application/x-www-form-urlencoded body in UTF-8.");
  }
  const names = [...form.keys()];
  if (new Set(names).size < names.length) {
    return refuse("invalid_request", "A parameter stands there more than once.");
  }
  return tokenRequest.parse(Object.fromEntries(form));
}

async function readForm(c: Context<AppEnv>): Promise<URLSearchParams | undefined> {
  const [type = ""] = (c.req.header("Content-Type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") return undefined;
  try {
    const bytes = await c.req.arrayBuffer();
    return new URLSearchParams(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes),
    );
  } catch {
    return undefined;
  }
}

/** RFC 6749, section 2.3.1: HTTP Basic or the body, and not both. */
export function clientOf(
  authorization: string | undefined,
  { client_id: id, client_secret: secret }: TokenRequest,
): { id: string; secret: string } | Refusal {
  if (authorization === undefined) return id && secret ? { id, secret } : unknownClient();
  if (secret !== undefined) {
    return refuse("invalid_request", "Authenticate in the header or in the body, not in both.");
  }
  const basic = basicOf(authorization);
  if (!basic || (id !== undefined && id !== basic.id)) return unknownClient();
  return basic;
}

function basicOf(authorization: string): { id: string; secret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization)?.[1];
  try {
    // RFC 7617: all behind the first colon is the password.
    const [, ...parts] = /^([^:]*):(.*)$/s.exec(atob(encoded ?? "")) ?? [];
    const [id, secret] = parts.map((part) => decodeURIComponent(part.replaceAll("+", " ")));
    return id && secret ? { id, secret } : undefined;
  } catch {
    return undefined;
  }
}

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
