import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { permissions, type Permission } from "../domain/credential/permissions";
import { signingKeys } from "../domain/credential/signature";
import { makeAccessToken, readSecret } from "../domain/credential/token";
import type { AppEnv } from "../env";
import { exchangeSecret } from "../http/doors/admit";
import { originOf } from "../http/doors/host";
import { only } from "../http/doors/methods";
import { unauthenticated } from "../http/doors/authenticate";

const maxSize = 16 * 1024;
const limit = bodyLimit({
  maxSize,
  onError: (c) =>
    c.json(refuse("invalid_request", `The body exceeds ${maxSize} bytes.`), 400, {
      "Cache-Control": "no-store",
    }),
});

/** OAuth 2.0 client credentials (RFC 6749, section 4.4) and its metadata (RFC 8414). */
export const oauth = new Hono<AppEnv>()
  .post("/oauth/token", limit, async (c) => {
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

interface Refusal {
  error:
    | "invalid_request"
    | "invalid_client"
    | "unauthorized_client"
    | "unsupported_grant_type"
    | "invalid_scope";
  error_description: string;
}

interface Issued {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  scope: string;
}

async function exchange(c: Context<AppEnv>): Promise<Issued | Refusal> {
  const form = await readForm(c);
  if (!form)
    return refuse("invalid_request", "Send an application/x-www-form-urlencoded body in UTF-8.");
  const names = [...form.keys()];
  if (new Set(names).size < names.length) {
    return refuse("invalid_request", "A parameter stands there more than once.");
  }
  const client = clientOf(c.req.header("Authorization"), form);
  if ("error" in client) return client;
  const grantType = form.get("grant_type");
  if (!grantType) return refuse("invalid_request", "grant_type is missing.");
  const keys = signingKeys(c.env.TOKEN_SECRET);
  const presented = await readSecret(keys, "efs", client.secret);
  if (!presented || client.id !== `efc_${presented.credentialId}`) return unknownClient();
  const exchanged = await exchangeSecret(c.env, presented);
  if (!exchanged) return unknownClient();
  if (grantType !== "client_credentials") {
    return refuse("unsupported_grant_type", "The grant type is client_credentials.");
  }
  const scope = scopeOf(form.get("scope"), exchanged.grant.permissions);
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

function refuse(error: Refusal["error"], error_description: string): Refusal {
  return { error, error_description };
}

function unknownClient(): Refusal {
  return refuse("invalid_client", "The client is unknown, or its secret is wrong or ended.");
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
function clientOf(
  authorization: string | undefined,
  form: URLSearchParams,
): { id: string; secret: string } | Refusal {
  // RFC 6749, section 3.2: a parameter without a value is one that was left out.
  const id = form.get("client_id") || null;
  const secret = form.get("client_secret") || null;
  if (authorization === undefined) return id && secret ? { id, secret } : unknownClient();
  if (secret !== null) {
    return refuse("invalid_request", "Authenticate in the header or in the body, not in both.");
  }
  const basic = basicOf(authorization);
  if (!basic || (id !== null && id !== basic.id)) return unknownClient();
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

/** What was asked for, if the client has all of it; everything that it has when nothing was asked. */
function scopeOf(asked: string | null, had: readonly Permission[]): Permission[] | undefined {
  const names = (asked ?? "").split(" ").filter((name) => name !== "");
  const scope = had.filter((permission) => names.length === 0 || names.includes(permission));
  return names.every((name) => scope.some((permission) => permission === name)) ? scope : undefined;
}
