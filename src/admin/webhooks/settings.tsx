import { webhookTypes, type Webhook } from "#domain/webhook/webhook.ts";
import { ChoiceGroup, Input } from "#html/inputs.tsx";
import type { CollectionLabel } from "#store/home/credential-lists.ts";
import { ResourceChoices } from "#admin/credentials/access-inputs.tsx";
import { toTextList } from "#admin/credentials/describe.ts";
import { labelDocuments } from "#admin/describe-view.ts";
import { numberOf, readForm, textOf, type FormValues } from "#admin/form-input.ts";
import {
  secretOutcome,
  webhookLabels,
  webhookPath,
  webhookTypeNames,
  WebhookLayout,
} from "./layout.tsx";
import { listSelectableCollections } from "#actions/definitions.ts";
import {
  createWebhook as storeWebhook,
  getWebhook,
  getWebhookWithLabels,
  updateWebhook,
} from "#actions/webhooks.ts";
import { webhookDocument } from "#documents/webhooks.ts";
import { etagOf } from "#domain/preconditions.ts";
import { deriveWebhookStatus, type WebhookStatus } from "#domain/webhook/status.ts";
import { page } from "#admin/page.ts";
import { Problem, type FieldError } from "#domain/problem/problem.ts";
import { AdminPage } from "#admin/layout.tsx";

/** The inputs for a webhook's endpoint, events and resources. */
function WebhookInputs({
  reachable,
  values,
}: {
  reachable: readonly CollectionLabel[];
  values: FormValues;
}) {
  return (
    <>
      <Input
        name="name"
        label={webhookLabels.name}
        required
        maxlength={100}
        value={textOf(values["name"])}
      />
      <Input
        name="url"
        label={webhookLabels.url}
        hint="Receives events by POST. Must be https with a host name, like https://shop.example/hooks."
        required
        inputmode="url"
        spellcheck={false}
        autocomplete="off"
        maxlength={2000}
        value={textOf(values["url"])}
      />
      <ChoiceGroup
        multiple
        name="types"
        label={webhookLabels.types}
        options={webhookTypes.map((value) => ({
          value,
          label: webhookTypeNames[value],
          hint: value,
        }))}
        chosen={toTextList(values["types"])}
      />
      <ResourceChoices
        reachable={reachable}
        values={values}
        label={webhookLabels.resources}
        offersViews
      />
      <ChoiceGroup
        name="include"
        label={webhookLabels.include}
        options={[
          { value: "item", label: "Whole item", hint: "As stored when the event is sent." },
          { value: "ids", label: "IDs only", hint: "For data that must not leave the service." },
        ]}
        chosen={[textOf(values["include"]) || "item"]}
      />
      <ChoiceGroup
        name="recalculations"
        label={webhookLabels.recalculations}
        hint="When a formula changes, the service recalculates all stored items."
        options={[
          { value: "true", label: "Send an event for each item" },
          { value: "false", label: "Send no events" },
        ]}
        chosen={[textOf(values["recalculations"]) || "true"]}
      />
      <Input
        name="changed_fields"
        label={webhookLabels.changed_fields}
        hint="Limits “updated” events to changes of these fields. Keys separated by commas, like $status, amount. Empty for all."
        spellcheck={false}
        autocomplete="off"
        value={toTextList(values["changed_fields"] ?? undefined).join(", ")}
      />
    </>
  );
}

/** Converts the page's form values to a body of the API. Scripts send that body themselves. */
function toWebhookBody(values: FormValues): FormValues {
  const { version: _, ...body } = values;
  const { page: form, scope, resources } = body;
  if (form === undefined) return body;
  const selected = toTextList(resources);
  const includesAll = scope === "all" && selected.length === 0;
  return {
    name: textOf(body["name"]).trim(),
    url: textOf(body["url"]).trim(),
    types: toTextList(body["types"]),
    collections: includesAll ? "all" : scope === "all" ? ["all", ...selected] : selected,
    include: body["include"],
    recalculations: textOf(body["recalculations"]) !== "false",
    changed_fields: splitKeys(textOf(body["changed_fields"])),
  };
}

/** The keys in the input; null for none, which means all fields. */
function splitKeys(text: string): string[] | null {
  const keys = text.split(/[\s,]+/).filter((key) => key !== "");
  return keys.length > 0 ? keys : null;
}

/** Converts a webhook to the form values of the page. */
function toWebhookInputs(hook: Webhook): FormValues {
  const { name, url, types, collections, include, recalculations, changedFields } = hook;
  const settings = { name, url, types, include, recalculations, changed_fields: changedFields };
  return { ...settings, resources: collections };
}

/** Ignores the order of lists. */
const canonicalJson = (value: unknown) =>
  JSON.stringify(Array.isArray(value) ? value.map(String).toSorted(compareTexts) : value);
const compareTexts = (a: string, b: string) => (a < b ? -1 : 1);

/** The properties that differ from the stored webhook. Unchanged ones must not count, as changes transfer ownership. */
function changedProperties(before: Webhook, body: FormValues): FormValues {
  const current: FormValues = { ...before, changed_fields: before.changedFields };
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => canonicalJson(value) !== canonicalJson(current[name]),
    ),
  );
}

/** Translates the field errors of the API to the input names and wording of the page. */
function toPageProblem(problem: Problem): Problem {
  const errors = problem.members["errors"] as FieldError[] | undefined;
  if (!errors) return problem;
  const pageErrors = errors.map((error) => {
    if (error.field.startsWith("changed_fields")) return { ...error, field: "changed_fields" };
    if (error.field === "types") return { ...error, reason: "Choose at least one event." };
    if (!error.field.startsWith("collections")) return error;
    const reason =
      error.field === "collections"
        ? "Choose all forms and apps, or select 1 to 100."
        : error.reason;
    return { ...error, field: "resources", reason };
  });
  const { code, detail, members, headers } = problem;
  return new Problem(code, detail, { ...members, errors: pageErrors }, headers);
}

export const newWebhookPage = page({
  load: ({ ctx }) => listSelectableCollections(ctx),
  document: (reachable, { text }) => ({ listens_to: labelDocuments(reachable, text) }),
  render: (frame, reachable, attempt) => (
    <AdminPage
      frame={frame}
      title="Create webhook"
      crumbs={[["Webhooks", "/admin/webhooks"]]}
      problem={attempt?.problem}
      labels={webhookLabels}
    >
      <form method="post" action="/admin/webhooks" class="issue">
        <input type="hidden" name="page" value="webhook" />
        <WebhookInputs reachable={reachable} values={attempt?.values ?? {}} />
        <p class="muted">Sends only data you can access.</p>
        <p class="actions">
          <button type="submit">Create webhook</button>
          <a class="button quiet" href="/admin/webhooks">
            Cancel
          </a>
        </p>
      </form>
    </AdminPage>
  ),
});

export const createWebhook = newWebhookPage.form({
  async act({ c, ctx }) {
    const created = await storeWebhook(ctx, toWebhookBody(await readForm(c)));
    return { ...secretOutcome(created, ctx.now()), status: 201 };
  },
  explain: toPageProblem,
});

export const settingsPage = page({
  load: ({ ctx, param }) => getWebhookWithLabels(ctx, param("id")),
  document: ({ hook }, { ctx }) => webhookDocument(hook, ctx.now()),
  /** Keeps the member's input, except after a version conflict. Then the page shows the stored settings. */
  render(frame, found, attempt) {
    const keepsInput =
      attempt?.problem.code !== "version_mismatch" && attempt?.values["page"] !== undefined;
    const values = keepsInput ? attempt.values : toWebhookInputs(found.hook);
    const { id, version } = found.hook;
    return (
      <WebhookLayout frame={frame} {...found} tab="Settings" problem={attempt?.problem}>
        <form method="post" action={`/admin/webhooks/${id}`} class="issue">
          <input type="hidden" name="page" value="webhook" />
          <input type="hidden" name="version" value={String(version)} />
          <WebhookInputs reachable={found.collectionLabels} values={values} />
          <p class="muted">
            If you change more than the name, you become the owner. The webhook then sends only data
            you can access.
          </p>
          <button type="submit">Save changes</button>
        </form>
      </WebhookLayout>
    );
  },
});

export const changeWebhook = settingsPage.form({
  async act({ c, ctx, param }) {
    const values = await readForm(c);
    const before = await getWebhook(ctx, param("id"));
    const body = toWebhookBody(values);
    const changed = values["page"] === undefined ? body : changedProperties(before, body);
    const version = numberOf(values["version"]);
    const expectedEtags = Number.isNaN(version) ? null : [etagOf(version)];
    const { hook } = await updateWebhook(ctx, before, changed, expectedEtags);
    const changesState = changed["state"] !== undefined;
    return {
      to: webhookPath(hook.id) + (changesState ? "" : "/settings"),
      flash: changesState ? stateMessage(deriveWebhookStatus(hook, ctx.now())) : "Webhook saved",
      document: webhookDocument(hook, ctx.now()),
    };
  },
  explain: toPageProblem,
});

function stateMessage({ state, reason }: WebhookStatus): string {
  if (state === "disabled") return `Still disabled. ${reason ?? ""}`;
  return state !== "paused" ? "Webhook active" : "Webhook paused";
}
