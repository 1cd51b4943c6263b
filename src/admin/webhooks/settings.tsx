import { kindOfType, webhookTypes, type Webhook } from "#domain/webhook/webhook.ts";
import { ChoiceGroup, Input } from "#html/inputs.tsx";
import {
  labelChoice,
  ResourceChoices,
  shownDefinitions,
} from "#admin/credentials/resource-choices.tsx";
import { toTextList } from "#admin/credentials/describe.ts";
import { labelDocuments } from "#admin/describe-view.ts";
import { numberOf, readForm, textOf, type FormValues } from "#admin/form-input.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { ChangedFields, readChangedFields } from "./changed-fields.tsx";
import { secretOutcome, webhookPath, WebhookLayout } from "./layout.tsx";
import { listSelectableCollections, type CollectionLabel } from "#actions/operand-names.ts";
import {
  createWebhook as storeWebhook,
  getWebhook,
  getWebhookWithLabels,
} from "#actions/webhooks.ts";
import { updateWebhook } from "#actions/update-webhook.ts";
import { webhookDocument } from "#documents/webhooks.ts";
import { etagOf } from "#domain/preconditions.ts";
import { deriveWebhookStatus, type WebhookStatus } from "#domain/webhook/status.ts";
import { textParameters } from "#http/query.ts";
import { page } from "#admin/page.ts";
import type { FieldError, Problem } from "#domain/problem/problem.ts";
import { AdminPage } from "#admin/layout.tsx";

/** The inputs for a webhook's endpoint, events and resources. */
function WebhookInputs({
  reachable,
  values,
  path,
}: {
  reachable: readonly CollectionLabel[];
  values: FormValues;
  /** The path of the page. */
  path: string;
}) {
  const { inputs, labels, types, leftViewHint } = useText().webhooks;
  const text = { ...inputs, leftViewHint };
  return (
    <>
      <Input
        name="name"
        label={labels.name}
        required
        maxlength={100}
        value={textOf(values["name"])}
      />
      <Input
        name="url"
        label={labels.url}
        hint={text.urlHint}
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
        label={labels.types}
        options={webhookTypes.map((value) => ({
          value,
          label: types[value],
          hint: (
            <>
              <code>{value}</code> {value.endsWith(".left_view") ? text.leftViewHint : null}
            </>
          ),
        }))}
        chosen={toTextList(values["types"])}
      />
      <ResourceChoices
        reachable={reachable}
        values={values}
        label={labels.resources}
        viewsPath={(name) => `${path}?${new URLSearchParams({ views: name }).toString()}`}
      />
      <ChoiceGroup
        name="include"
        label={labels.include}
        options={(["item", "ids"] as const).map((value) => {
          const { name: label, hint } = text.payloads[value];
          return { value, label, hint };
        })}
        chosen={[textOf(values["include"]) || "item"]}
      />
      <ChoiceGroup
        name="recalculations"
        label={labels.recalculations}
        hint={text.recalculationsHint}
        options={(["true", "false"] as const).map((value) => ({
          value,
          label: text.recalculations[value],
        }))}
        chosen={[textOf(values["recalculations"]) || "true"]}
      />
      <ChangedFields reachable={reachable} values={values} />
    </>
  );
}

/** The events that most webhooks send. */
const usualTypes = webhookTypes.filter((type) => /\.(created|updated|deleted)$/.test(type));

/** The defaults of a new webhook. Most webhooks follow only some apps or forms. */
const newWebhook: FormValues = { types: usualTypes, scope: "only" };

/** Omits the events of records if no app is selected, and the events of submissions if no form is selected. */
function applicableTypes(types: readonly string[], collections: unknown): string[] {
  const selected = toTextList(collections);
  const hasKind = (kind: string) =>
    selected.some((name) => name === "all" || name.startsWith(`${kind}:`));
  const applicable = types.filter((type) => hasKind(kindOfType(type)));
  return applicable.length === 0 ? [...types] : applicable;
}

/** Converts the page's form values to a body of the API. Scripts send such a body themselves. */
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
    changed_fields: readChangedFields(body),
  };
}

/** Converts a webhook to the form values of the page. */
function toWebhookInputs(hook: Webhook): FormValues {
  const { name, url, types, collections, include, recalculations, changedFields } = hook;
  const settings = { name, url, types, include, recalculations, changed_fields: changedFields };
  return { ...settings, resources: collections };
}

/** Serializes a value. Ignores the order of lists. */
const canonicalJson = (value: unknown) =>
  JSON.stringify(Array.isArray(value) ? value.map(String).toSorted(compareTexts) : value);
const compareTexts = (a: string, b: string) => (a < b ? -1 : 1);

/** Returns the properties that differ from the stored webhook. Sending unchanged ones could transfer ownership. */
function changedProperties(before: Webhook, body: FormValues): FormValues {
  const current: FormValues = { ...before, changed_fields: before.changedFields };
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => canonicalJson(value) !== canonicalJson(current[name]),
    ),
  );
}

/** Translates the field errors of the API to the input names and wording of the page. */
function toPageProblem(problem: Problem, { webhooks, problems }: Catalogue): Problem {
  const text = webhooks.inputs.errors;
  const errors = problem.members["errors"] as FieldError[] | undefined;
  if (!errors) return problem;
  const pageErrors = errors.map((apiError) => {
    const error = { ...apiError, reason: problems.reason(apiError, undefined) };
    if (error.field.startsWith("changed_fields")) return { ...error, field: "changed_fields" };
    if (error.field === "types") return { ...error, reason: text.types };
    if (!error.field.startsWith("collections")) return error;
    const reason = error.field === "collections" ? text.resources : error.reason;
    return { ...error, field: "resources", reason };
  });
  return problem.withErrors(pageErrors);
}

const ViewsQuery = textParameters("views");

export const newWebhookPage = page({
  query: ViewsQuery,
  load: ({ ctx, query }, attempted) =>
    listSelectableCollections(ctx, {
      ...labelChoice(query.views, attempted),
      hasAllFields: true,
    }),
  document: (reachable, { text }) => ({ listens_to: labelDocuments(reachable, text) }),
  render(frame, reachable, attempt) {
    const { terms, webhooks: text } = frame.text;
    return (
      <AdminPage
        frame={frame}
        title={text.create}
        crumbs={[[text.title, "/admin/webhooks"]]}
        problem={attempt?.problem}
        labels={text.labels}
      >
        <form method="post" action="/admin/webhooks" class="issue" data-warn="">
          <input type="hidden" name="page" value="webhook" />
          <WebhookInputs
            path="/admin/webhooks/new"
            reachable={reachable}
            values={attempt?.values ?? newWebhook}
          />
          <p class="muted">{text.inputs.newWebhookRule}</p>
          <p class="actions">
            <button type="submit">{text.create}</button>
            <a class="button quiet" href="/admin/webhooks">
              {terms.cancel}
            </a>
          </p>
        </form>
      </AdminPage>
    );
  },
});

export const createWebhook = newWebhookPage.form({
  async act({ c, ctx }) {
    const values = await readForm(c);
    const body = toWebhookBody(values);
    if (values["page"] !== undefined)
      body["types"] = applicableTypes(toTextList(body["types"]), body["collections"]);
    const shown = { ...ctx, shownDefinitions: shownDefinitions(values) };
    const created = await storeWebhook(shown, body);
    return { ...secretOutcome(created, ctx.now()), status: 201 };
  },
  explain: toPageProblem,
});

export const settingsPage = page({
  query: ViewsQuery,
  load: ({ ctx, param, query }, attempted) =>
    getWebhookWithLabels(ctx, param("id"), {
      ...labelChoice(query.views, attempted),
      hasAllFields: true,
    }),
  document: ({ hook }, { ctx }) => webhookDocument(hook, ctx.now()),
  /** Keeps the member's input, except after a version conflict. The page then shows the stored settings. */
  render(frame, found, attempt) {
    const keepsInput =
      attempt?.problem.code !== "version_mismatch" && attempt?.values["page"] !== undefined;
    const values = keepsInput ? attempt.values : toWebhookInputs(found.hook);
    const { id, version } = found.hook;
    return (
      <WebhookLayout frame={frame} {...found} tab="settings" problem={attempt?.problem}>
        <form method="post" action={`/admin/webhooks/${id}`} class="issue" data-warn="">
          <input type="hidden" name="page" value="webhook" />
          <input type="hidden" name="version" value={String(version)} />
          <WebhookInputs
            path={`/admin/webhooks/${id}/settings`}
            reachable={found.collectionLabels}
            values={values}
          />
          <p class="muted">{frame.text.webhooks.inputs.changeRule}</p>
          <button type="submit">{frame.text.terms.saveChanges}</button>
        </form>
      </WebhookLayout>
    );
  },
});

export const saveWebhook = settingsPage.form({
  async act({ c, ctx, param, text }) {
    const values = await readForm(c);
    const before = await getWebhook(ctx, param("id"));
    const body = toWebhookBody(values);
    const changed = values["page"] === undefined ? body : changedProperties(before, body);
    const version = numberOf(values["version"]);
    const expectedEtags = Number.isNaN(version) ? null : [etagOf(version)];
    const shown = { ...ctx, shownDefinitions: shownDefinitions(values) };
    const { hook } = await updateWebhook(shown, before, changed, expectedEtags);
    const changesState = changed["state"] !== undefined;
    return {
      to: webhookPath(hook.id) + (changesState ? "" : "/settings"),
      flash: changesState
        ? stateMessage(deriveWebhookStatus(hook, ctx.now()), text)
        : text.webhooks.inputs.saved,
      document: webhookDocument(hook, ctx.now()),
    };
  },
  explain: toPageProblem,
});

function stateMessage(status: WebhookStatus, { webhooks: { layout } }: Catalogue): string {
  if (status.state === "disabled") return layout.stillDisabled(status);
  return status.state === "paused" ? layout.states.paused : layout.states.active;
}
