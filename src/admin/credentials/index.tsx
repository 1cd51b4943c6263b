import { Hono } from "hono";
import {
  issueCredential,
  revokeCredential,
  getCredential,
  getUsedCredentialWithLabels,
  type CredentialWithSecret,
} from "#actions/credentials.ts";
import { editCredential } from "#actions/edit-credential.ts";
import { expireOldSecret, rotateCredential } from "#actions/rotate-credential.ts";
import { addViewOfPart } from "#actions/collection-access.ts";
import type { ActionContext } from "#actions/context.ts";
import { listSelectableCollections } from "#actions/operand-names.ts";
import { credentialDocument } from "#documents/credentials.ts";
import { clientId, type Resources } from "#domain/credential/credential.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import { textParameters } from "#http/query.ts";
import { nameViewOfPart } from "#admin/definitions/view-of-part.ts";
import { labelDocuments } from "#admin/describe-view.ts";
import { readForm } from "#admin/form-input.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { action, page } from "#admin/page.ts";
import { ExpireInput, RotateInput } from "#admin/one-time-secret.tsx";
import { labelChoice, shownDefinitions } from "./resource-choices.tsx";
import { AccessPage } from "./access-page.tsx";
import { callsPage } from "./calls-page.tsx";
import {
  EditInput,
  toCredentialChange,
  IssueInput,
  toCredentialInput,
  requireChoices,
} from "./inputs.ts";
import { credentialPath } from "./describe.ts";
import { createsOwnViews, IssuePage } from "./issue.tsx";
import { integrationsPage } from "./list.tsx";
import { newSecretPage, secretsPage } from "./secrets.tsx";

const IssueQuery = textParameters("purpose", "resources", "name", "kind", "views");
const AccessQuery = textParameters("add", "views");

const newCredential = page({
  query: IssueQuery,
  load: async ({ ctx, query }, attempted) => ({
    reachable: await listSelectableCollections(ctx, labelChoice(query.views, attempted ?? query)),
    values: query,
  }),
  document: ({ reachable }, { text }) => ({ access_to: labelDocuments(reachable, text) }),
  render: (frame, data, attempt) => <IssuePage frame={frame} {...data} {...attempt} />,
});

const issue = newCredential.form({
  fields: (text) => requireChoices(IssueInput(text), text),
  async act({ c, ctx, text }, { kind, ...sent }) {
    const input = toCredentialInput(sent, ctx.now());
    const values = await readForm(c);
    const { purpose } = values;
    const { resources, marks } = createsOwnViews(purpose, c.var.member.role)
      ? await selectOwnItems(ctx, input.resources, text)
      : { resources: input.resources, marks: [] };
    const shown = { ...ctx, shownDefinitions: new Map([...shownDefinitions(values), ...marks]) };
    const issued = await issueCredential(shown, kind, { ...input, resources });
    return { ...secretOutcome(issued, ctx.now()), status: 201 };
  },
});

const access = page({
  query: AccessQuery,
  load: async ({ ctx, param, query }, attempted) => ({
    ...(await getUsedCredentialWithLabels(ctx, param("id"), labelChoice(query.views, attempted))),
    add: query.add,
  }),
  document: ({ credential }, { ctx }) => credentialDocument(credential, ctx.now()),
  render: (frame, data, attempt) => <AccessPage frame={frame} {...data} {...attempt} />,
});

const edit = access.form({
  fields: EditInput,
  async act({ c, ctx, param, text }, fields) {
    const before = await getCredential(ctx, param("id"));
    const changed = toCredentialChange(fields, before, ctx.now());
    const shown = { ...ctx, shownDefinitions: shownDefinitions(await readForm(c)) };
    const after = await editCredential(shown, before, changed, fields.version);
    return {
      to: `${credentialPath(after)}/access`,
      flash: text.credentialAccess.saved,
      document: credentialDocument(after, ctx.now()),
    };
  },
});

const rotate = action({
  fields: RotateInput,
  act: async ({ ctx, param }, { overlap }) =>
    secretOutcome(await rotateCredential(ctx, param("id"), overlap), ctx.now()),
});

const expireSecret = action({
  fields: ExpireInput,
  async act({ ctx, param, text }, { secret }) {
    const { kind } = await getCredential(ctx, param("id"));
    await expireOldSecret(ctx, param("id"), secret);
    return {
      to: `/admin/integrations/${param("id")}/secrets`,
      flash: text.secrets[kind].expired,
      document: null,
    };
  },
});

const revoke = action({
  async act({ ctx, param, text }) {
    await revokeCredential(ctx, param("id"));
    return {
      to: `/admin/integrations/${param("id")}`,
      flash: text.credentials.revoked,
      document: null,
    };
  },
});

const isWhole = (resource: string) => !resource.includes("/");

/** Adding a view takes several queries, and a request can run 1,000 of them. */
const maxOwnViews = 20;

/**
 * Replaces whole forms and apps by views of the items that the credential itself creates. Returns the marks of their
 * definitions, so that no credential gets a view that changes meanwhile.
 */
async function selectOwnItems(
  ctx: ActionContext,
  resources: Resources,
  text: Catalogue,
): Promise<{ resources: Resources; marks: [name: string, mark: string][] }> {
  const selected: string[] = [];
  const marks: [string, string][] = [];
  if (resources === "all") return { resources, marks };
  if (resources.filter(isWhole).length > maxOwnViews) {
    const reason = text.credentialAccess.errors.tooManyWhole(maxOwnViews);
    throw problem.invalidInput([errorAt(["resources"], "too_large", reason)]);
  }
  for (const name of resources) {
    const [kind, key = ""] = name.split(":");
    if (!isWhole(name) || (kind !== "form" && kind !== "app")) {
      selected.push(name);
      continue;
    }
    const { view, mark } = await addViewOfPart(
      ctx,
      kind,
      key,
      { items: "own" },
      (newView, collection) => nameViewOfPart(newView, collection, "", text),
    );
    selected.push(`${name}/${view.key}`);
    marks.push([name, mark]);
  }
  return { resources: selected, marks };
}

/** Builds the only response that contains the secret. */
function secretOutcome({ credential, secret }: CredentialWithSecret, now: number) {
  const secretMembers =
    credential.kind === "token"
      ? { token: secret }
      : { client_id: clientId(credential), client_secret: secret };
  const document = { ...credentialDocument(credential, now), ...secretMembers };
  return { secret, place: credentialPath(credential), document };
}

/** The routes of “Integrations and external data”: personal tokens and API clients. */
export const integrationRoutes = () =>
  new Hono<AdminEnv>()
    .get("/", integrationsPage.show)
    .post("/", issue)
    .get("/new", newCredential.show)
    .get("/:id", callsPage.show)
    .get("/:id/access", access.show)
    .get("/:id/secrets", secretsPage.show)
    .get("/:id/secret", newSecretPage.show)
    .post("/:id", edit)
    .post("/:id/rotate", rotate)
    .post("/:id/expire", expireSecret)
    .post("/:id/revoke", revoke);
