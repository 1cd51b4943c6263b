import { Problem, problem } from "#domain/problem/problem.ts";
import { textOf, type FormValues, readForm } from "#admin/form-input.ts";
import type { Field } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { readItemData, assertCellsFit } from "./read-form.ts";
import { buildItemBody, fieldsOf, formTimeZone, readStatus } from "./item-body.ts";
import type { Context } from "hono";
import { loadItemHistory } from "#actions/changes.ts";
import { previewItem } from "#actions/preview-item.ts";
import { updateItem } from "#actions/update-item.ts";
import { retryOnConflict, noIdempotencyKey } from "#actions/idempotent.ts";
import type { MemberItem } from "#admin/items/load-item.ts";
import { itemDocument, relativeOrigin } from "#documents/items.ts";
import { etagOf } from "#domain/preconditions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { buildItemView, type ItemView } from "#domain/item/item.ts";
import type { AdminEnv } from "#http/env.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { submitForm, page } from "#admin/page.ts";
import { pageContext } from "#admin/layout.tsx";
import {
  compareChanges,
  digestFields,
  readSeenDigests,
  type FormChanges,
  type SeenDigests,
} from "./changes.ts";
import { itemsPath, getItem, readIfMatch, getStoredCollection } from "#admin/items/load-item.ts";
import { readTexts } from "#admin/preferences.ts";
import { readPlace, withPlace } from "#admin/items/neighbors.ts";
import { itemTitle } from "#admin/items/value.tsx";
import { actorNames } from "#admin/items/actor-name.tsx";
import { undoSaving } from "#admin/items/undo-change.ts";
import { ItemFormPage } from "./item-form.tsx";
import { storeSentFiles } from "#admin/items/files/sent-files.ts";
import { createItem } from "#actions/create-item.ts";
import { readShared, shareValues } from "./shared-values.ts";
import { findFormRecords, formReferences, withGuesses, type ResolvedForm } from "./find-records.ts";
import { noReferences } from "#admin/items/references.tsx";

type AdminContext = Context<AdminEnv>;

export const newPage = (kind: CollectionKind) =>
  page({
    async load({ c }) {
      const { compiled } = await getStoredCollection(c, kind);
      const initial = readShared(fieldsOf(compiled), c.req.query("like"));
      const references = initial
        ? await formReferences(c.var.action, compiled.collection, initial)
        : noReferences;
      return { compiled, initial, references };
    },
    async render(frame, { compiled, initial, references }) {
      const seen = await digestFields(fieldsOf(compiled), {}, frame.viewer.zone);
      const props = { frame, collection: compiled.collection, seen, initial, references };
      return <ItemFormPage {...props} />;
    },
  });

export const editPage = (kind: CollectionKind) =>
  page({
    async load({ c }) {
      const { item, compiled } = await getItem(c, kind);
      if (item.status === "closed") return c.redirect(`${itemsPath(c, kind)}/${item.id}`, 303);
      const view = buildItemView(item, compiled);
      const references = await formReferences(c.var.action, compiled.collection, view.data);
      return { compiled, view, references, place: readPlace(c) };
    },
    document: ({ view }) => itemDocument(view, relativeOrigin),
    async render(frame, { compiled, view, references, place }) {
      const { collection } = compiled;
      const seen = await digestFields(fieldsOf(compiled), view.data, frame.viewer.zone);
      return <ItemFormPage {...{ frame, collection, view, seen, references, place }} />;
    },
  });

/** Saves the fields that differ from the displayed values. On a conflict, asks which value to keep. */
export async function updateFromForm(c: AdminContext, kind: CollectionKind): Promise<Response> {
  const sent = await readForm(c);
  const seen = isObject(sent["data"]) ? undefined : readSeenDigests(sent);
  let target = await getItem(c, kind);
  assertCellsFit(fieldsOf(target.compiled), sent, readTexts(c));
  const refusal = await storeSentFiles(c.var.action, target.compiled, sent, readTexts(c));
  const resolved = await findFormRecords(c.var.action, target.compiled.collection, sent);
  const { form } = resolved;
  if (isEditedFurther(form)) return c.html(await renderForm(c, target, resolved, seen, undefined));
  return submitForm(
    c,
    async () => {
      if (refusal) throw refusal;
      const confirm = (view: ItemView, theirs: readonly Field[]) => ({
        to: withPlace(`${itemsPath(c, kind)}/${view.id}`, readPlace(c)),
        flash: {
          text: withGuesses(
            savedMessage(readTexts(c), target, view, theirs),
            resolved,
            readTexts(c),
          ),
          isPartial: false,
          undo: undoSaving(c, kind, target, view),
        },
        document: itemDocument(view, relativeOrigin),
      });
      if (!seen) {
        const body = buildItemBody(form, target.compiled);
        return confirm(await updateItem(c.var.action, target, body, readIfMatch(form)), []);
      }
      const result = await retryOnConflict(c.var.action, async () => {
        const outcome = await tryMerge(c, target, form, seen);
        if (!outcome) target = await getItem(c, kind);
        return outcome;
      });
      return confirm(result.view, result.theirs);
    },
    async (error) => {
      target = await getItem(c, kind);
      return renderForm(c, target, resolved, seen, error);
    },
  );
}

/** Merges and saves the changes. Returns undefined if the item changed again, so that the caller retries. */
async function tryMerge(
  c: AdminContext,
  target: MemberItem,
  form: FormValues,
  seen: SeenDigests,
): Promise<{ view: ItemView; theirs: Field[] } | undefined> {
  const { item, compiled } = target;
  const fields = fieldsOf(compiled);
  const { data } = buildItemView(item, compiled);
  const { mine, theirs, both } = await compareChanges(
    fields,
    form,
    seen,
    data,
    formTimeZone(form, compiled),
  );
  if (both.length > 0) {
    const labels = both.map(({ label }) => label);
    throw problem.explainedConflict(readTexts(c).itemForm.conflict.notSaved(labels));
  }
  const body = { ...readStatus(form, fields), data: mine };
  const ifMatch = [etagOf(item.version)];
  try {
    return { view: await updateItem(c.var.action, target, body, ifMatch), theirs };
  } catch (error) {
    if (error instanceof Problem && error.code === "version_mismatch") return undefined;
    throw error;
  }
}

function savedMessage(
  text: Catalogue,
  { item, compiled }: MemberItem,
  view: ItemView,
  theirs: readonly Field[],
): string {
  const { outcomes } = text.itemForm;
  const title = itemTitle(view, fieldsOf(compiled), text);
  if (view.version === item.version) return outcomes.unchanged(title);
  const labels = theirs.map(({ label }) => label);
  if (item.status === "draft" && view.status === "submitted" && labels.length === 0)
    return outcomes.submitted(title);
  return labels.length > 0 ? outcomes.merged(title, labels) : outcomes.saved(title);
}

/**
 * Whether the member continues editing. Buttons for more rows and their order, and the script for totals, request the
 * form again.
 */
const isEditedFurther = (form: FormValues) =>
  ["$more", "$move", "$preview"].some((name) => form[name] !== undefined);

/** Renders the form again, with the submitted values on top of the stored item. */
async function renderForm(
  c: AdminContext,
  { item, compiled }: MemberItem,
  { form, choices }: ResolvedForm,
  seen: SeenDigests | undefined,
  error: Problem | undefined,
) {
  const fields = fieldsOf(compiled);
  const view = buildItemView(item, compiled);
  const zone = formTimeZone(form, compiled);
  const changes: FormChanges | undefined =
    seen && (await compareChanges(fields, form, seen, view.data, zone));
  const clash =
    changes && error?.code === "conflict"
      ? {
          ...changes,
          current: view,
          names: actorNames(await loadItemHistory(c.var.action, { item, compiled })),
        }
      : undefined;
  return (
    <ItemFormPage
      frame={pageContext(c)}
      collection={compiled.collection}
      view={view}
      seen={await digestFields(fields, view.data, zone)}
      sent={form}
      written={changes && new Set(Object.keys(changes.mine))}
      calculated={previewItem(c.var.action, compiled, item.data, {
        ...readItemData(fields, form, zone),
        ...changes?.mine,
      })}
      clash={clash}
      problem={error}
      references={await formReferences(c.var.action, compiled.collection, view.data, {
        form,
        zone,
        choices,
      })}
      place={readPlace(c)}
    />
  );
}

export async function createFromForm(c: AdminContext, kind: CollectionKind): Promise<Response> {
  const { compiled } = await getStoredCollection(c, kind);
  const sent = await readForm(c);
  const fields = fieldsOf(compiled);
  assertCellsFit(fields, sent, readTexts(c));
  const refusal = await storeSentFiles(c.var.action, compiled, sent, readTexts(c));
  const resolved = await findFormRecords(c.var.action, compiled.collection, sent);
  const { form, choices } = resolved;
  const zone = formTimeZone(form, compiled);
  const renderAgain = async (error: Problem | undefined) => (
    <ItemFormPage
      frame={pageContext(c)}
      collection={compiled.collection}
      seen={await digestFields(fields, {}, zone)}
      sent={form}
      calculated={previewItem(
        c.var.action,
        compiled,
        {},
        readItemData(fieldsOf(compiled), form, formTimeZone(form, compiled)),
      )}
      problem={error}
      references={await formReferences(
        c.var.action,
        compiled.collection,
        {},
        { form, zone, choices },
      )}
    />
  );
  if (isEditedFurther(form)) return c.html(await renderAgain(undefined));
  return submitForm(
    c,
    async () => {
      if (refusal) throw refusal;
      const body = buildItemBody(form, compiled);
      const { response: view } = await createItem(c.var.action, compiled, body, noIdempotencyKey);
      const text = readTexts(c);
      const { savedDraft, created } = text.itemForm.outcomes;
      const title = itemTitle(view, fields, text);
      const base = itemsPath(c, kind);
      const createdMessage = view.status === "draft" ? savedDraft(title) : created(title);
      const isAnother = textOf(form["$another"]) !== "";
      return {
        to: isAnother ? `${base}/new?like=${shareValues(fields, view.data)}` : `${base}/${view.id}`,
        flash: {
          text: withGuesses(createdMessage, resolved, text),
          isPartial: false,
          link: isAnother ? `${base}/${view.id}` : undefined,
        },
        document: itemDocument(view, relativeOrigin),
        status: 201,
      };
    },
    renderAgain,
  );
}
