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
} from "../../actions/credentials/credentials";
import { liveSecrets, type Credential } from "../../domain/credential/credential";
import type { Problem } from "../../domain/problem/problem";
import { signingKeys } from "../../domain/credential/signature";
import { dayInZone, stamp } from "../../domain/time";
import type { AdminEnv } from "../../env";
import { countCalls, noCalls, type CallLog } from "../../gate/call-log";
import { logMended } from "../../http/answers/log";
import { timely } from "../../store/db/attempt";
import { listCollections } from "../../store/definitions/collections";
import { announce } from "./announce";
import { answer, answerDone, attempted } from "../frame/answers";
import { credentialInput, EditInput, expiryOf, IssueInput, RotateInput } from "./credential-input";
import { CredentialPage, SecretPage } from "./credential-page";
import { IntegrationsPage } from "./list-page";
import { readFields, readSent, wantsJson } from "../frame/negotiate";
import { readyCall } from "./ready-call";
import { random } from "../sign-in/session";

/** The area "Integrations and external data": personal tokens and API clients. */
export const integrations = new Hono<AdminEnv>()
  .get("/", async (c) => {
    const shown = await listed(c);
    return answer(c, { items: shown.credentials }, () => <IntegrationsPage c={c} {...shown} />);
  })
  .post("/", (c) =>
    attempted(
      c,
      async () => {
        const { kind, ...sent } = await readFields(c, IssueInput);
        const issued = await issueCredential(context(c), kind, credentialInput(sent, Date.now()));
        return answerSecret(c, issued, 201);
      },
      async (refusal) => (
        <IntegrationsPage c={c} {...await listed(c)} sent={await readSent(c)} problem={refusal} />
      ),
    ),
  )
  .get("/:id", async (c) => {
    const credential = await visibleCredential(context(c), c.req.param("id"));
    const { calls } = await logOf(c, credential);
    const document = credentialDocument(credential);
    const told = calls.map(({ at, requestId, ...call }) => ({
      at: stamp(at),
      ...call,
      request_id: requestId,
    }));
    return answer(c, { ...document, calls: told }, await page(c, credential));
  })
  .post("/:id", (c) =>
    attempted(
      c,
      async () => {
        const id = c.req.param("id");
        const { requests, writes, expires, time_zone, version, ...rest } = await readFields(
          c,
          EditInput,
        );
        const before = await visibleCredential(context(c), id);
        const limits = {
          requests: requests ?? before.limits.requests,
          writes: writes ?? before.limits.writes,
        };
        const { expiresAt, expiresZone } = expires
          ? expiryOf(expires, time_zone ?? before.expiresZone ?? "UTC", Date.now())
          : before;
        const given = Object.fromEntries(
          Object.entries(rest).filter(([, value]) => value !== undefined),
        );
        const change = { ...given, limits, expiresAt, expiresZone };
        const after = await editCredential(context(c), before, change, version);
        return answerDone(c, credentialDocument(after), `/admin/integrations/${id}`);
      },
      async (refusal) => {
        const credential = await visibleCredential(context(c), c.req.param("id"));
        return (await page(c, credential, refusal))();
      },
    ),
  )
  .post("/:id/rotate", async (c) => {
    const { overlap } = await readFields(c, RotateInput);
    return answerSecret(c, await rotateCredential(context(c), c.req.param("id"), overlap), 200);
  })
  .post("/:id/revoke", async (c) => {
    await revokeCredential(context(c), c.req.param("id"));
    return answerDone(c, null, "/admin/integrations");
  });

/** What can be picked: every app and form by its name in a credential. */
async function resourcesOf(db: D1Database): Promise<string[]> {
  const [apps, forms] = await Promise.all(
    (["app", "form"] as const).map((kind) => listCollections(db, kind, "all", 0, 500)),
  );
  return [
    ...(apps ?? []).map(({ key }) => `app:${key}`),
    ...(forms ?? []).map(({ key }) => `form:${key}`),
  ];
}

/** The log that the credential's own object keeps; none while it cannot be reached. */
export async function logOf(c: Context<AdminEnv>, { id }: Credential): Promise<CallLog> {
  try {
    return await timely<CallLog>(async () => c.env.GATE.getByName(id).report());
  } catch (error) {
    logMended("log of calls unreadable", error);
    return noCalls();
  }
}

async function listed(c: Context<AdminEnv>) {
  const [found, resources] = await Promise.all([
    visibleCredentials(context(c)),
    resourcesOf(c.env.DB),
  ]);
  const since = Date.now() - 24 * 60 * 60 * 1000;
  const credentials = await Promise.all(
    found.map(async (credential) => ({
      ...credentialDocument(credential),
      last_24_hours: countCalls(await logOf(c, credential), since),
    })),
  );
  return { credentials, resources };
}

async function page(c: Context<AdminEnv>, credential: Credential, problem?: Problem) {
  const [{ calls }, resources] = await Promise.all([logOf(c, credential), resourcesOf(c.env.DB)]);
  const refused = problem ? { problem, sent: await readSent(c) } : {};
  const shown = { c, credential: credentialDocument(credential), calls, resources };
  return () => <CredentialPage {...shown} {...refused} />;
}

export function context(c: Context<AdminEnv>): CredentialContext {
  return {
    ...c.var.action,
    member: c.var.member,
    keys: signingKeys(c.env.TOKEN_SECRET),
    random: () => random(32),
    announce: (credential) => announce(c.env.GATE, credential),
  };
}

export type CredentialDocument = ReturnType<typeof credentialDocument>;

function credentialDocument(credential: Credential) {
  const { id, kind, name, permissions, resources, limits } = credential;
  const { expiresAt, expiresZone, lastUsedAt } = credential;
  return {
    id,
    version: credential.version,
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
    expires: expiryInWords(expiresAt, expiresZone),
    revoked_at: credential.revokedAt === null ? null : stamp(credential.revokedAt),
    last_used_at: lastUsedAt === null ? null : stamp(lastUsedAt),
  };
}

/** A credential that ends with a day says with which, and where. */
function expiryInWords(at: number | null, zone: string | null): string {
  if (at === null) return "never";
  if (zone === null) return `at ${stamp(at).slice(0, 16).replace("T", " ")} UTC`;
  return `at the end of ${dayInZone(at - 1, zone)} (${zone})`;
}

/** The one answer that shows a secret. */
async function answerSecret(
  c: Context<AdminEnv>,
  { credential, secret }: Issued,
  status: 200 | 201,
): Promise<Response> {
  const { origin } = new URL(c.req.url);
  const client_id = `efc_${credential.id}`;
  const isToken = credential.kind === "token";
  const shown = isToken ? { token: secret } : { client_id, client_secret: secret };
  c.header("Cache-Control", "no-store");
  if (wantsJson(c)) return c.json({ ...credentialDocument(credential), ...shown }, status);
  const ready = isToken
    ? await readyCall(c.env.DB, origin, credential, secret)
    : `curl -s -u '${client_id}:${secret}' -d grant_type=client_credentials ${origin}/oauth/token`;
  return c.html(<SecretPage c={c} name={credential.name} shown={shown} ready={ready} />, status);
}
