import * as z from "zod/mini";
import { Hono, type Context } from "hono";
import { editCredential, issueCredential, revokeCredential, rotateCredential, visibleCredential, visibleWithReachable, visibleWithReached, type Issued, visibleCredentials } from "#actions/credentials.ts";
import { type Credential, countCalls } from "#domain/credential/credential.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import { originOf } from "#http/request.ts";
import { query, texts } from "#http/query.ts";
import { credentialStates, listReachable } from "#store/home/credential-lists.ts";
import { answer, answerDone, attempted } from "#admin/page.ts";
import { frameOf } from "#admin/layout.tsx";
import { readFields, readSent, wantsJson } from "#admin/form-input.ts";
import { say } from "#admin/preferences.ts";
import { handSecret, takeSecret, RotateInput } from "#admin/one-time-secret.tsx";
import { AccessPage } from "./access-page.tsx";
import { callReason, filterCalls, callDocument } from "./calls.ts";
import { CallsPage } from "./calls-page.tsx";
import { callLog, credentialContext } from "./context.ts";
import { EditInput, editInput, IssueInput, issueInput, fromPage } from "./inputs.ts";
import { clientId, credentialDocument } from "./describe.ts";
import { IssuePage } from "./issue.tsx";
import { IntegrationsPage } from "./list.tsx";
import { assistantSettings, dryRun, snippets } from "./snippets.ts";
import { FormerSecretPage, NewSecretPage, SecretsPage } from "./secrets.tsx";

const perPage = 100;
const day = 24 * 60 * 60 * 1000;

const ListQuery = z.object({
  // A filter that was left alone is sent empty.
  kind: z.optional(z.enum(["", "token", "client"])),
  state: z.optional(z.enum(["", ...credentialStates])),
  before: z.optional(z.string().check(z.maxLength(40))),
});

/** The area "Integrations and external data": personal tokens and API clients. */
export const integrations = new Hono<AdminEnv>()
  .get("/", query(ListQuery), async (c) => {
    const { before = null, kind, state } = c.req.valid("query");
    const filter = { kind: kind || undefined, state: state || ("current" as const) };
    const page = { ...filter, before, limit: perPage };
    const { found, next } = await visibleCredentials(credentialContext(c), page);
    const link = next === null ? null : withBefore(c.req.url, next);
    const now = Date.now();
    const items = found.map((credential) => ({
      ...credentialDocument(credential, now),
      last_24_hours: countCalls(credential.usage, "hours", now - day),
    }));
    const document = { items, links: { self: c.req.url, next: link } };
    return answer(c, document, () => (
      <IntegrationsPage frame={frameOf(c)} credentials={found} filter={filter} next={link} />
    ));
  })
  .post("/", (c) =>
    attempted(
      c,
      async () => {
        const { kind, ...sent } = await readFields(c, fromPage(IssueInput));
        const issued = await issueCredential(
          credentialContext(c),
          kind,
          issueInput(sent, Date.now()),
        );
        return answerSecret(c, issued, 201);
      },
      (refusal) => issuePageAgain(c, refusal),
    ),
  )
  .get("/new", query(texts("purpose", "resources", "name", "kind")), async (c) => {
    const reachable = await listReachable(c.env.DB);
    const shown = { frame: frameOf(c), reachable, sent: c.req.valid("query") };
    return answer(c, { access_to: reachable }, () => <IssuePage {...shown} />);
  })
  .get("/:id", query(texts("status", "find")), async (c) => {
    const context = credentialContext(c);
    const { credential, reachable } = await visibleWithReachable(context, c.req.param("id"));
    const log = await callLog(c, credential);
    const now = Date.now();
    const sight = { resources: credential.resources, reachable };
    const { status = "", find = "" } = c.req.valid("query");
    const calls = filterCalls(log, { status, find }, now).map((call) => ({
      call,
      reason: callReason(call, sight),
    }));
    const document = {
      ...credentialDocument(credential, now),
      calls: calls.map(({ call, reason }) => callDocument(call, reason)),
    };
    return answer(c, document, () => (
      <CallsPage
        frame={frameOf(c)}
        credential={credential}
        log={log}
        calls={calls.toReversed()}
        filter={{ status, find }}
      />
    ));
  })
  .get("/:id/access", query(texts("add")), async (c) => {
    const found = await visibleWithReachable(credentialContext(c), c.req.param("id"));
    const document = credentialDocument(found.credential, Date.now());
    return answer(c, document, () => (
      <AccessPage frame={frameOf(c)} {...found} add={c.req.valid("query").add} />
    ));
  })
  .get("/:id/secrets", async (c) => {
    const credential = await visibleCredential(credentialContext(c), c.req.param("id"));
    const { secrets } = credentialDocument(credential, Date.now());
    return answer(c, { items: secrets }, () => (
      <SecretsPage frame={frameOf(c)} credential={credential} />
    ));
  })
  .get("/:id/secret", (c) => newSecretPage(c))
  .post("/:id", (c) =>
    attempted(
      c,
      async () => {
        const id = c.req.param("id");
        const sent = await readFields(c, EditInput);
        const before = await visibleCredential(credentialContext(c), id);
        const change = editInput(sent, before, Date.now());
        const after = await editCredential(credentialContext(c), before, change, sent.version);
        say(c, "Access saved. The next request already has it.");
        const document = credentialDocument(after, Date.now());
        return answerDone(c, document, `/admin/integrations/${id}/access`);
      },
      (refusal) => accessPageAgain(c, refusal),
    ),
  )
  .post("/:id/rotate", async (c) => {
    const { overlap } = await readFields(c, RotateInput);
    const issued = await rotateCredential(credentialContext(c), c.req.param("id"), overlap);
    return answerSecret(c, issued, 200);
  })
  .post("/:id/revoke", async (c) => {
    const id = c.req.param("id");
    await revokeCredential(credentialContext(c), id);
    say(c, "Revoked. Its next request is refused; its calls stay here for 30 days.");
    return answerDone(c, null, `/admin/integrations/${id}`);
  });

function withBefore(url: string, next: string): string {
  const address = new URL(url);
  address.searchParams.set("before", next);
  return address.href;
}

async function issuePageAgain(c: Context<AdminEnv>, problem: Problem) {
  const reachable = await listReachable(c.env.DB);
  const sent = await readSent(c);
  return <IssuePage frame={frameOf(c)} reachable={reachable} sent={sent} problem={problem} />;
}

async function accessPageAgain(c: Context<AdminEnv>, problem: Problem) {
  const found = await visibleWithReachable(credentialContext(c), c.req.param("id") ?? "");
  const sent = await readSent(c);
  return <AccessPage frame={frameOf(c)} {...found} sent={sent} problem={problem} />;
}

const placeOf = ({ id }: Credential) => `/admin/integrations/${id}`;

/** What a new secret leads to; scripts had it with the answer, and find its name here. */
async function newSecretPage(c: Context<AdminEnv, "/:id/secret">): Promise<Response> {
  const found = await visibleWithReached(credentialContext(c), c.req.param("id"));
  const { credential, reached } = found;
  if (wantsJson(c)) return c.json(credentialDocument(credential, Date.now()));
  const secret = await takeSecret(c, placeOf(credential));
  const frame = frameOf(c);
  if (secret === undefined) return c.html(<FormerSecretPage {...{ frame, credential }} />);
  const origin = originOf(c);
  const told = snippets(dryRun(origin, credential, reached), origin, credential, secret);
  const assistant = assistantSettings(origin, credential, secret);
  return c.html(<NewSecretPage {...{ frame, credential, secret, assistant }} snippets={told} />);
}

/** The one answer that holds a secret: scripts get it at once, people on the page that follows. */
async function answerSecret(
  c: Context<AdminEnv>,
  issued: Issued,
  status: 200 | 201,
): Promise<Response> {
  const { credential, secret } = issued;
  c.header("Cache-Control", "no-store");
  if (!wantsJson(c)) return handSecret(c, placeOf(credential), secret);
  const shown =
    credential.kind === "token"
      ? { token: secret }
      : { client_id: clientId(credential), client_secret: secret };
  return c.json({ ...credentialDocument(credential, Date.now()), ...shown }, status);
}
