import { Hono, type Context } from "hono";
import {
  editCredential,
  issueCredential,
  revokeCredential,
  rotateCredential,
  visibleCredential,
  visibleCredentials,
  type CredentialContext,
  type Issued,
} from "../actions/credentials";
import { liveSecrets, type Credential } from "../domain/credential";
import { signingKeys } from "../domain/signature";
import { stamp } from "../domain/time";
import type { AdminEnv } from "../env";
import { announce } from "./announce";
import { credentialInput, EditInput, expiryOf, IssueInput, RotateInput } from "./credential-input";
import { IntegrationsPage, SecretPage } from "./integrations-page";
import { readFields, wantsJson } from "./negotiate";

/** The area "Integrations and external data": personal tokens and API clients. */
export const integrations = new Hono<AdminEnv>()
  .get("/", async (c) => {
    const credentials = await visibleCredentials(context(c));
    if (wantsJson(c)) return c.json({ items: credentials.map(credentialDocument) });
    return c.html(<IntegrationsPage credentials={credentials.map(credentialDocument)} />);
  })
  .post("/", async (c) => {
    const { kind, ...sent } = await readFields(c, IssueInput);
    const issued = await issueCredential(context(c), kind, credentialInput(sent, Date.now()));
    return answerSecret(c, issued, 201);
  })
  .get("/:id", async (c) =>
    c.json(credentialDocument(await visibleCredential(context(c), c.req.param("id")))),
  )
  .post("/:id", async (c) => {
    const id = c.req.param("id");
    const { requests, writes, expires, ...rest } = await readFields(c, EditInput);
    const before = await visibleCredential(context(c), id);
    const limits = {
      requests: requests ?? before.limits.requests,
      writes: writes ?? before.limits.writes,
    };
    const expiresAt = expires ? expiryOf(expires, Date.now()) : before.expiresAt;
    const given = Object.fromEntries(
      Object.entries(rest).filter(([, value]) => value !== undefined),
    );
    const after = await editCredential(context(c), id, { ...given, limits, expiresAt });
    if (wantsJson(c)) return c.json(credentialDocument(after));
    return c.redirect("/admin/integrations", 303);
  })
  .post("/:id/rotate", async (c) => {
    const { overlap } = await readFields(c, RotateInput);
    return answerSecret(c, await rotateCredential(context(c), c.req.param("id"), overlap), 200);
  })
  .post("/:id/revoke", async (c) => {
    await revokeCredential(context(c), c.req.param("id"));
    return wantsJson(c) ? c.body(null, 204) : c.redirect("/admin/integrations", 303);
  });

function context(c: Context<AdminEnv>): CredentialContext {
  return {
    ...c.var.action,
    member: c.var.member,
    keys: signingKeys(c.env.TOKEN_SECRET),
    random: () => crypto.getRandomValues(new Uint8Array(32)),
    announce: (credential) => announce(c.env.GATE, credential),
  };
}

export type CredentialDocument = ReturnType<typeof credentialDocument>;

function credentialDocument(credential: Credential) {
  const { id, kind, name, permissions, resources, limits } = credential;
  const { expiresAt, lastUsedAt } = credential;
  return {
    id,
    kind,
    name,
    ...(kind === "client" ? { client_id: `efc_${id}` } : {}),
    secrets: liveSecrets(credential, Date.now()).map((secret) => ({
      first_characters: secret.first_characters,
      created_at: stamp(secret.created_at),
      expires_at: secret.expires_at === null ? null : stamp(secret.expires_at),
    })),
    permissions,
    resources,
    limits,
    created_by: credential.createdBy.id,
    created_at: stamp(credential.createdAt),
    expires_at: expiresAt === null ? null : stamp(expiresAt),
    last_used_at: lastUsedAt === null ? null : stamp(lastUsedAt),
  };
}

/** The one answer that shows a secret. */
function answerSecret(
  c: Context<AdminEnv>,
  issued: Issued,
  status: 200 | 201,
): Response | Promise<Response> {
  const { credential, secret } = issued;
  const shown =
    credential.kind === "token"
      ? { token: secret }
      : { client_id: `efc_${credential.id}`, client_secret: secret };
  c.header("Cache-Control", "no-store");
  if (wantsJson(c)) return c.json({ ...credentialDocument(credential), ...shown }, status);
  return c.html(<SecretPage name={credential.name} shown={shown} />, status);
}
