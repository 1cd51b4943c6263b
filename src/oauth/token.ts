import * as z from "zod/mini";
import { type Context, Hono } from "hono";
import type { AppEnv } from "#http/env.ts";
import {
  exchangeClientSecret,
  type AccessGrant,
  type ExchangeError,
} from "#actions/exchange-secret.ts";
import { permissions } from "#domain/credential/permissions.ts";
import { problem } from "#domain/problem/problem.ts";
import { decodeSecret, type PresentedCredential } from "#domain/credential/tokens.ts";
import { exchangeSecret, authenticationProblem } from "#http/authenticate.ts";
import {
  sendPreflight,
  isPreflight,
  allowAnyOrigin,
  setCorsHeaders,
  rejectOtherMethods,
} from "#http/cors.ts";
import { query, textParameters } from "#http/query.ts";
import { serviceOrigin } from "#http/request.ts";
import { limitAnonymousBody } from "#http/body.ts";
import { readBody, maxAnonymousBodyBytes, isCompressed } from "#http/read-body.ts";
import { lazy } from "#domain/lazy.ts";

/** An error response (RFC 6749, section 5.2). */
export interface OAuthError {
  error:
    | "invalid_request"
    | "invalid_client"
    | "unauthorized_client"
    | "unsupported_grant_type"
    | "invalid_scope";
  error_description: string;
}

function oauthError(error: OAuthError["error"], error_description: string): OAuthError {
  return { error, error_description };
}

function unknownClientError(): OAuthError {
  return oauthError("invalid_client", "The client is unknown, or its secret is wrong or expired.");
}

/** An empty parameter counts as omitted (RFC 6749, section 3.2). */
const optionalParameter = lazy(() =>
  z.optional(
    z.pipe(
      z.string(),
      z.transform((value) => value || undefined),
    ),
  ),
);

/** A request for an access token (RFC 6749, section 4.4.2). Ignores other parameters. */
const tokenRequestSchema = lazy(() =>
  z.object({
    grant_type: optionalParameter(),
    client_id: optionalParameter(),
    client_secret: optionalParameter(),
    scope: optionalParameter(),
  }),
);
type TokenRequest = z.output<ReturnType<typeof tokenRequestSchema>>;

// Avoids zod's form validator, because it accepts multipart bodies and repairs invalid UTF-8.
async function readTokenRequest(c: Context<AppEnv>): Promise<TokenRequest | OAuthError> {
  const form = await readFormBody(c);
  if (!form) {
    return oauthError(
      "invalid_request",
      "Send an application/x-www-form-urlencoded body in UTF-8.",
    );
  }
  const names = [...form.keys()];
  if (new Set(names).size < names.length) {
    return oauthError("invalid_request", "A parameter occurs more than once.");
  }
  return tokenRequestSchema().parse(Object.fromEntries(form));
}

async function readFormBody(c: Context<AppEnv>): Promise<URLSearchParams | undefined> {
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

/** Reads the client from HTTP Basic or from the body. Rejects requests with both (RFC 6749, section 2.3.1). */
function readClient(
  authorization: string | undefined,
  { client_id: id, client_secret: secret }: TokenRequest,
): { id: string; secret: string } | OAuthError {
  if (authorization === undefined) return id && secret ? { id, secret } : unknownClientError();
  if (secret !== undefined) {
    return oauthError("invalid_request", "Authenticate in the header or in the body, not in both.");
  }
  const basic = decodeBasic(authorization);
  if (!basic || (id !== undefined && id !== basic.id)) return unknownClientError();
  return basic;
}

/** Whether the header contains a client secret that the service issued. It may be revoked. */
async function hasSignedSecret(c: Context<AppEnv>): Promise<boolean> {
  const basic = decodeBasic(c.req.header("Authorization") ?? "");
  return basic !== undefined && (await decodeSecret(c.env.keys, "efs", basic.secret)) !== undefined;
}

function decodeBasic(authorization: string): { id: string; secret: string } | undefined {
  const credentials = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization)?.[1];
  try {
    // The password is everything after the first colon (RFC 7617).
    const [, ...parts] = /^([^:]*):(.*)$/s.exec(atob(credentials ?? "")) ?? [];
    const [id, secret] = parts.map((part) => decodeURIComponent(part.replaceAll("+", " ")));
    return id && secret ? { id, secret } : undefined;
  } catch {
    return undefined;
  }
}

/** Serves OAuth 2.0 client credentials (RFC 6749, section 4.4) and its metadata (RFC 8414). */
export const oauth = () =>
  new Hono<AppEnv>()
    .use("/oauth/token", async (c, next) => (isPreflight(c) ? sendPreflight(c, ["POST"]) : next()))
    .post("/oauth/token", async (c) => {
      c.header("Cache-Control", "no-store");
      c.header("Pragma", "no-cache");
      const response = await exchangeToken(c);
      if ("access_token" in response) return c.json(response);
      if (response.error !== "invalid_client") return c.json(response, 400);
      // An address with too many failures gets 429 instead.
      const authenticationError = await authenticationProblem(c, true);
      if (authenticationError.code === "rate_limited") throw authenticationError;
      // Challenges only clients that used Basic (RFC 6749, section 5.2). Browsers would show the challenge instead of
      // the response.
      const challenge = { "WWW-Authenticate": 'Basic realm="edge-forms"' };
      return c.json(response, 401, c.req.header("Authorization") === undefined ? {} : challenge);
    })
    .use("/.well-known/oauth-authorization-server", allowAnyOrigin)
    .get("/.well-known/oauth-authorization-server", query(textParameters()), (c) => {
      const issuer = serviceOrigin(c);
      return c.json(
        {
          issuer,
          // No grant uses this endpoint, but common clients require it. It links to a page about connecting.
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
    .all("/oauth/token", rejectOtherMethods("POST"))
    .all("/.well-known/oauth-authorization-server", rejectOtherMethods("GET"));

interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  scope: string;
}

async function exchangeToken(c: Context<AppEnv>): Promise<TokenResponse | OAuthError> {
  if (!(await hasSignedSecret(c))) await limitAnonymousBody(c);
  if (isCompressed(c))
    return oauthError("invalid_request", "Send the body without Content-Encoding.");
  const error = await readBody(c, maxAnonymousBodyBytes);
  if (error) return oauthError("invalid_request", error.detail);
  const request = await readTokenRequest(c);
  if ("error" in request) return request;
  const client = readClient(c.req.header("Authorization"), request);
  if ("error" in client) return client;
  const { grant_type: grantType } = request;
  if (!grantType) return oauthError("invalid_request", "grant_type is missing.");
  const ctx = {
    keys: c.env.keys,
    now: () => c.env.clock.now(),
    admit: async (presentedCredential: PresentedCredential) => {
      const result = await exchangeSecret(c.env, presentedCredential);
      if (result && "grant" in result) setCorsHeaders(c, result.grant.origins);
      return result;
    },
  };
  const result = await exchangeClientSecret(ctx, client, {
    grantType,
    scope: request.scope ?? null,
  });
  return "error" in result ? buildOAuthError(result) : buildTokenResponse(result);
}

function buildTokenResponse({ accessToken, expiresIn, scope }: AccessGrant): TokenResponse {
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: expiresIn,
    scope: scope.join(" "),
  };
}

function buildOAuthError(error: ExchangeError): OAuthError {
  switch (error.error) {
    case "unknown_client":
      return unknownClientError();
    case "too_many":
      throw problem.rateLimited(
        error.retryAfter,
        `This client requested too many access tokens. Retry in ${error.retryAfter} s.`,
      );
    case "unsupported_grant_type":
      return oauthError("unsupported_grant_type", "grant_type must be client_credentials.");
    case "invalid_scope":
      return oauthError("invalid_scope", `scope may contain only: ${error.allowedScope.join(" ")}`);
  }
}
