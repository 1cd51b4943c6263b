import type { Context } from "hono";
import type { Preview } from "#actions/preview-definition.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import { problems } from "#domain/problem/catalogue.ts";
import type { AdminEnv } from "#http/env.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import { pageContext } from "#admin/layout.tsx";
import { listApps } from "./app-select.tsx";
import { collectionPath, definitionDocument } from "./layout.tsx";
import { copyDraftField, readKnownKeys, parseDraft } from "./draft-documents.ts";
import { isTooLarge, tooManyFieldsProblem } from "./draft-size.ts";
import { type Draft, makeKey, needsChosenKey } from "./draft.ts";
import { explainDraft } from "./formula-help.ts";
import { transliterate } from "./transliterate.ts";
import { DefinitionPage, LargeDefinitionPage, NewDefinitionPage } from "./editor-page.tsx";
import { findBrokenViews, viewProblem, withViewHelp } from "./view-help.ts";
import { buildDraftPreview, draftBody, previewDraft, type EditorState } from "./editor-preview.ts";
import {
  getDefinition,
  putDefinition,
  getForEditor,
  type SavedDefinition,
} from "#actions/definitions.ts";
import { listLocations } from "#actions/databases.ts";
import { collectionKeyPattern } from "#domain/definition/document.ts";
import { noFields } from "#domain/definition/field.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { etagOf } from "#domain/preconditions.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { readTexts } from "#admin/preferences.ts";
import { sendOutcome } from "#admin/page.ts";
import { readForm, wantsJson, textOf, type FormValues } from "#admin/form-input.ts";
import { applyEdit, buildDraftFields, rebaseDraft, type EditFocus } from "./edit-draft.ts";

type AdminContext = Context<AdminEnv>;

/** Sends the editor with a preview of the effects of saving. */
async function sendEditor(
  c: AdminContext,
  state: EditorState,
  draft: Draft,
  { error: failure, focus }: { error?: Problem; focus?: EditFocus | undefined } = {},
): Promise<Response> {
  const { kind, current, text } = state;
  const error = failure && explainDraft(failure, draft.fields, text);
  const [{ draftProblem, inputProblem, ...previews }, apps, locations] = await Promise.all([
    buildDraftPreview(c, state, draft),
    state.apps ?? listApps(c),
    current ? [] : listLocations(c.var.action),
  ]);
  const shown = error ?? viewProblem(draftProblem);
  const explained = shown && withViewHelp(shown, current?.collection.definition, text);
  // Options and formulas of new fields may stay empty until the member saves.
  const wrong = error ? (error.members["errors"] ? error : draftProblem) : inputProblem;
  const editor = {
    frame: pageContext(c),
    kind,
    draft,
    brokenViews: findBrokenViews(wrong, current?.collection.definition, text),
    stored: current?.collection.definition.fields ?? null,
    ...previews,
    locations,
    apps,
    wrong,
    focus,
    isUnsaved: c.req.method === "POST",
    action: current
      ? `${collectionPath[kind]}/${current.collection.key}/fields`
      : collectionPath[kind],
  };
  const status = error ? problems[error.code].status : 200;
  const page = current ? (
    <DefinitionPage {...editor} current={current} problem={explained} />
  ) : (
    <NewDefinitionPage {...editor} problem={explained} />
  );
  return c.html(page, status, error?.headers);
}

async function loadEditorState(
  c: AdminContext,
  kind: CollectionKind,
): Promise<EditorState & { current: CurrentCollection }> {
  const key = c.req.param("key") ?? "";
  const { newestItem, ...found } = await getForEditor(c.var.action, kind, key);
  return { kind, ...found, newest: newestItem, text: readTexts(c) };
}

export async function showEditor(c: AdminContext, kind: CollectionKind): Promise<Response> {
  const state = await loadEditorState(c, kind);
  c.header("Vary", "Accept");
  if (wantsJson(c))
    return c.json({ ...definitionDocument(c, state.current), live: state.current.itemCount });
  const { fields } = state.current.collection.definition.fields;
  if (isTooLarge(fields))
    return c.html(<LargeDefinitionPage frame={pageContext(c)} current={state.current} />);
  return sendEditor(c, state, await buildStoredDraft(state.current));
}

export async function showNewEditor(c: AdminContext, kind: CollectionKind): Promise<Response> {
  if (!roleAllows(c.var.member.role, "define")) throw problem.roleRequired("define");
  const text = readTexts(c);
  const copyOf = c.req.query("copy") ?? "";
  const draft =
    copyOf === ""
      ? { version: 0, key: "", name: "", timeZone: "", location: "", copyOf, fields: [] }
      : buildCopy(await getDefinition(c.var.action, kind, copyOf), text.definitionEditor);
  return sendEditor(c, { kind, current: undefined, newest: undefined, text }, draft);
}

/** Builds a new definition with the fields of another one. */
function buildCopy(
  { collection: { key, definition } }: CurrentCollection,
  text: Catalogue["definitionEditor"],
): Draft {
  const { name, time_zone: timeZone, fields } = definition;
  if (isTooLarge(fields.fields)) throw tooManyFieldsProblem(text);
  const copies = fields.fields.map(copyDraftField);
  const { location = "" } = definition;
  const copyName = text.copyOf(name);
  return { version: 0, key: "", name: copyName, timeZone, location, copyOf: key, fields: copies };
}

/** Returns the settings that a copy has in common with its original. */
async function copiedSettings(c: AdminContext, kind: CollectionKind, key: string) {
  if (key === "") return {};
  const { collection } = await getDefinition(c.var.action, kind, key);
  const { description, history_days } = collection.definition;
  return { description, ...(history_days === undefined ? {} : { history_days }) };
}

async function buildStoredDraft({ collection }: CurrentCollection): Promise<Draft> {
  const { key, version, definition } = collection;
  const fields = await buildDraftFields(definition.fields.fields);
  const { name, time_zone: timeZone } = definition;
  return { version, key, name, timeZone, location: "", copyOf: "", fields };
}

/** Saves the fields, or applies an edit to the draft and shows the effects of saving. */
export async function saveFields(c: AdminContext, kind: CollectionKind): Promise<Response> {
  const form = await readForm(c);
  const state = await loadEditorState(c, kind);
  const { collection } = state.current;
  const { definitionEditor: text, terms } = state.text;
  const { key, definition } = collection;
  const draft = { ...parseDraft(form, text), key, name: definition.name };
  if (draft.version !== collection.version) return sendRebasedDraft(c, state, draft, form);
  const action = readAction(c, form);
  if (action !== "save") return sendEditedDraft(c, state, draft, action);
  try {
    assertHidingConfirmed(previewDraft(c, state, draft), form, text);
    const result = await putAtVersion(c, kind, key, draftBody(state, draft), draft.version);
    const checkedItems = terms.collections[kind].itemCount(result.itemCount);
    return await sendOutcome(c, {
      to: `${collectionPath[kind]}/${key}`,
      flash: savedMessage(result.outcome, checkedItems, text),
      document: definitionDocument(c, result),
    });
  } catch (error) {
    if (error instanceof Problem && error.code === "version_mismatch") {
      return sendRebasedDraft(c, await loadEditorState(c, kind), draft, form);
    }
    if (!(error instanceof Problem) || wantsJson(c)) throw error;
    return sendEditor(c, state, draft, { error });
  }
}

export async function createCollection(c: AdminContext, kind: CollectionKind): Promise<Response> {
  const form = await readForm(c);
  const texts = readTexts(c);
  const text = texts.definitionEditor;
  const draft = { ...parseDraft(form, text), version: 0 };
  const state = { kind, current: undefined, newest: undefined, text: texts };
  const action = readAction(c, form);
  if (action !== "save") return sendEditedDraft(c, state, draft, action);
  const key = draft.key || makeKey(draft.name, "", new Set());
  try {
    assertNamed(draft, kind, key, text);
    const zone = draft.timeZone === "" ? {} : { time_zone: draft.timeZone };
    const settings = await copiedSettings(c, kind, draft.copyOf);
    const place = draft.location === "" ? {} : { location: draft.location };
    const named = { name: draft.name, key, ...zone, ...place };
    const body = { ...settings, ...draftBody(state, draft), ...named };
    const result = await putAtVersion(c, kind, key, body, 0).catch((error: unknown) => {
      throw toKeyTakenProblem(error, text.problems.keyTaken[kind](key));
    });
    return await sendOutcome(c, {
      to: `${collectionPath[kind]}/${key}/items`,
      flash: text.created[kind],
      document: definitionDocument(c, result),
      status: 201,
    });
  } catch (error) {
    if (!(error instanceof Problem) || wantsJson(c)) throw error;
    return sendEditor(c, state, draft, { error });
  }
}

/** Returns the action of the pressed button. With `?draft` in the URL, nothing is saved. */
function readAction(c: AdminContext, form: FormValues): string {
  const isDraft = c.req.query("draft") !== undefined;
  const action = textOf(form["do"]) || "save";
  return isDraft && action === "save" ? "check" : action;
}

function putAtVersion(
  c: AdminContext,
  kind: CollectionKind,
  key: string,
  body: object,
  version: number,
): Promise<SavedDefinition> {
  return putDefinition(c.var.action, kind, key, body, {
    ifMatch: version === 0 ? null : [etagOf(version)],
    ifNoneMatch: version === 0 ? "*" : null,
  });
}

type EditorTexts = Catalogue["definitionEditor"];

/** Throws unless a new definition has a name and a key. */
function assertNamed(
  { name, key: entered }: Draft,
  kind: CollectionKind,
  key: string,
  { problems: texts }: EditorTexts,
): void {
  const errors = [];
  if (name === "") errors.push(errorAt(["name"], "required", texts.enterName));
  if (entered === "" && needsChosenKey(name)) {
    const suggestion = makeKey(transliterate(name), `${kind}_1`, new Set());
    errors.push(errorAt(["key"], "required", texts.enterKey(name, suggestion)));
  } else if (name !== "" && !collectionKeyPattern.test(key)) {
    errors.push(errorAt(["key"], "invalid_format", texts.invalidKey));
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
}

function toKeyTakenProblem(error: unknown, reason: string): unknown {
  if (!(error instanceof Problem) || error.code !== "version_mismatch") return error;
  return problem.explainedConflict(reason);
}

/** Throws unless the member has confirmed that saving hides removed fields. */
function assertHidingConfirmed(
  { differences }: Preview,
  form: FormValues,
  { problems: texts }: EditorTexts,
): void {
  const hiddenFields = differences.filter(({ what }) => what === "hidden").map(({ path }) => path);
  if (hiddenFields.length === 0 || form["sure"] !== undefined) return;
  throw problem.invalidInput([errorAt(["sure"], "required", texts.confirmHiding(hiddenFields))]);
}

function savedMessage(
  outcome: SavedDefinition["outcome"],
  items: string,
  text: EditorTexts,
): string {
  if (outcome === "unchanged") return text.unchanged;
  return outcome === "pending" ? text.checking(items) : text.saved;
}

async function sendEditedDraft(
  c: AdminContext,
  state: EditorState,
  draft: Draft,
  action: string,
): Promise<Response> {
  const storedFields = state.current?.collection.definition.fields ?? noFields;
  const { draft: next, focus } = applyEdit(draft, action, storedFields, state.text);
  if (isTooLarge(next.fields))
    return sendEditor(c, state, draft, {
      error: tooManyFieldsProblem(state.text.definitionEditor),
    });
  return sendEditor(c, state, next, { focus });
}

/** Handles a concurrent save. Stores nothing and sends the draft, rebased onto the stored version. */
async function sendRebasedDraft(
  c: AdminContext,
  state: EditorState & { current: CurrentCollection },
  draft: Draft,
  form: FormValues,
): Promise<Response> {
  const { version, definition } = state.current.collection;
  const { definitionEditor: text, terms } = state.text;
  const { theirs, both, ...rebased } = await rebaseDraft(
    draft,
    readKnownKeys(form),
    definition.fields.fields,
    version,
    terms.fieldTypes,
  );
  const conflict = problem.explainedConflict(text.problems.conflict(theirs, both));
  if (wantsJson(c) || isTooLarge(rebased.draft.fields)) throw conflict;
  return sendEditor(c, state, rebased.draft, { error: conflict });
}
