import type { Context } from "hono";
import * as z from "zod/mini";
import type { AppEnv } from "../env";

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
