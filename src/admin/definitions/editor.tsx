import type { Context } from "hono";
import type { Preview } from "#actions/preview-definition.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import { problems } from "#domain/problem/catalogue.ts";
import type { AdminEnv } from "#http/env.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import { pageContext } from "#admin/layout.tsx";
import { collectionTerms, definitionDocument } from "./layout.tsx";
import { copyDraftField, missingKeyErrors, readKnownKeys, parseDraft } from "./draft-documents.ts";
import { isTooLarge, tooManyFieldsProblem } from "./draft-size.ts";
import { type Draft, makeKey } from "./draft.ts";
import { DefinitionPage, LargeDefinitionPage, NewDefinitionPage } from "./editor-page.tsx";
import { buildDraftPreview, draftBody, previewDraft, type EditorState } from "./editor-preview.ts";
import {
  getDefinition,
  putDefinition,
  getWithNewestItem,
  type SavedDefinition,
} from "#actions/definitions.ts";
import { listLocations } from "#actions/databases.ts";
import { collectionKeyPattern } from "#domain/definition/document.ts";
import { noFields } from "#domain/definition/field.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { etagOf } from "#domain/preconditions.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { sendOutcome } from "#admin/page.ts";
import { formatQuantity } from "#html/viewer.tsx";
import { readForm, wantsJson, textOf, type FormValues } from "#admin/form-input.ts";
import { applyEdit, buildDraftFields, rebaseDraft, type EditFocus } from "./edit-draft.ts";

type AdminContext = Context<AdminEnv>;

/** Sends the editor with a preview of what saving would do. */
async function sendEditor(
  c: AdminContext,
  state: EditorState,
  draft: Draft,
  { error, focus }: { error?: Problem; focus?: EditFocus | undefined } = {},
): Promise<Response> {
  const { kind, current } = state;
  const { draftProblem, inputProblem, ...previews } = await buildDraftPreview(c, state, draft);
  const editor = {
    frame: pageContext(c),
    kind,
    draft,
    stored: current?.collection.definition.fields ?? null,
    ...previews,
    locations: current ? [] : await listLocations(c.var.action),
    // Options and formulas of new fields may stay empty until people save.
    wrong: error ? (error.members["errors"] ? error : draftProblem) : inputProblem,
    focus,
    action: current
      ? `${collectionTerms[kind].path}/${current.collection.key}/fields`
      : collectionTerms[kind].path,
  };
  const status = error ? problems[error.code].status : 200;
  const page = current ? (
    <DefinitionPage {...editor} current={current} problem={error} />
  ) : (
    <NewDefinitionPage {...editor} problem={error} />
  );
  return c.html(page, status, error?.headers);
}

async function loadEditorState(
  c: AdminContext,
  kind: CollectionKind,
): Promise<EditorState & { current: CurrentCollection }> {
  const key = c.req.param("key") ?? "";
  const { current, newestItem } = await getWithNewestItem(c.var.action, kind, key);
  return { kind, current, newest: newestItem };
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
  const copyOf = c.req.query("copy") ?? "";
  const draft =
    copyOf === ""
      ? { version: 0, key: "", name: "", timeZone: "", location: "", copyOf, fields: [] }
      : buildCopy(await getDefinition(c.var.action, kind, copyOf));
  return sendEditor(c, { kind, current: undefined, newest: undefined }, draft);
}

/** A new definition with the fields of another. */
function buildCopy({ collection: { key, definition } }: CurrentCollection): Draft {
  const { name, time_zone: timeZone, fields } = definition;
  if (isTooLarge(fields.fields)) throw tooManyFieldsProblem();
  const copies = fields.fields.map(copyDraftField);
  const { location = "" } = definition;
  const copyName = `${name} (copy)`;
  return { version: 0, key: "", name: copyName, timeZone, location, copyOf: key, fields: copies };
}

/** The settings that a copy takes over. */
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

/** Saves the fields, or applies an edit to the draft and shows what saving would do. */
export async function saveFields(c: AdminContext, kind: CollectionKind): Promise<Response> {
  const form = await readForm(c);
  const state = await loadEditorState(c, kind);
  const { collection } = state.current;
  const draft = { ...parseDraft(form), key: collection.key, name: collection.definition.name };
  if (draft.version !== collection.version) return sendRebasedDraft(c, state, draft, form);
  const action = readAction(c, form);
  if (action !== "save") return sendEditedDraft(c, state, draft, action);
  try {
    assertKeysChosen(draft);
    assertHidingConfirmed(previewDraft(c, state, draft), form);
    const result = await putAtVersion(
      c,
      kind,
      collection.key,
      draftBody(state, draft),
      draft.version,
    );
    const { path, items } = collectionTerms[kind];
    return await sendOutcome(c, {
      to: `${path}/${collection.key}`,
      flash: savedMessage(result.outcome, result.itemCount, items),
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
  const draft = { ...parseDraft(form), version: 0 };
  const state = { kind, current: undefined, newest: undefined };
  const action = readAction(c, form);
  if (action !== "save") return sendEditedDraft(c, state, draft, action);
  const key = draft.key || makeKey(draft.name, "", new Set());
  try {
    assertNamed(draft, key);
    assertKeysChosen(draft);
    const zone = draft.timeZone === "" ? {} : { time_zone: draft.timeZone };
    const settings = await copiedSettings(c, kind, draft.copyOf);
    const place = draft.location === "" ? {} : { location: draft.location };
    const named = { name: draft.name, key, ...zone, ...place };
    const body = { ...settings, ...draftBody(state, draft), ...named };
    const result = await putAtVersion(c, kind, key, body, 0).catch((error: unknown) => {
      throw toKeyTakenProblem(error, key, collectionTerms[kind].one);
    });
    return await sendOutcome(c, {
      to: `${collectionTerms[kind].path}/${key}/items`,
      flash: `${collectionTerms[kind].one === "app" ? "App" : "Form"} created`,
      document: definitionDocument(c, result),
      status: 201,
    });
  } catch (error) {
    if (!(error instanceof Problem) || wantsJson(c)) throw error;
    return sendEditor(c, state, draft, { error });
  }
}

/** The action of the pressed button. With `?draft` in the URL, nothing is saved. */
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

function assertKeysChosen({ fields }: Draft): void {
  const errors = missingKeyErrors(fields);
  if (errors.length > 0) throw problem.invalidInput(errors);
}

function assertNamed({ name }: Draft, key: string): void {
  const errors = [];
  if (name === "") errors.push(errorAt(["name"], "required", "Enter a name."));
  if (name !== "" && !collectionKeyPattern.test(key)) {
    const reason =
      "Use up to 63 lowercase letters, digits, hyphens and underscores. Start with a letter.";
    errors.push(errorAt(["key"], "invalid_format", reason));
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
}

function toKeyTakenProblem(error: unknown, key: string, singular: string): unknown {
  if (!(error instanceof Problem) || error.code !== "version_mismatch") return error;
  const reason = `${singular === "app" ? "An app" : "A form"} with the key ${key} already exists.`;
  return problem.conflict(reason);
}

/** Requires a confirmation before saving hides removed fields. */
function assertHidingConfirmed({ differences }: Preview, form: FormValues): void {
  const hiddenFields = differences.filter(({ what }) => what === "hidden").map(({ path }) => path);
  if (hiddenFields.length === 0 || form["sure"] !== undefined) return;
  const reason = `This hides ${hiddenFields.join(", ")} and the stored data. Select “Hide removed fields” to confirm, or restore ${hiddenFields.length === 1 ? "it" : "them"}.`;
  throw problem.invalidInput([errorAt(["sure"], "required", reason)]);
}

function savedMessage(outcome: SavedDefinition["outcome"], live: number, items: string): string {
  if (outcome === "unchanged") return "No changes to save";
  if (outcome === "pending") {
    return `Checking ${formatQuantity(live, items.slice(0, -1))}. The change takes effect afterwards.`;
  }
  return "Fields saved";
}

async function sendEditedDraft(
  c: AdminContext,
  state: EditorState,
  draft: Draft,
  action: string,
): Promise<Response> {
  const stored = state.current?.collection.definition.fields ?? noFields;
  const { draft: next, focus } = applyEdit(draft, action, stored);
  if (isTooLarge(next.fields))
    return sendEditor(c, state, draft, { error: tooManyFieldsProblem() });
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
  const rebased = await rebaseDraft(draft, readKnownKeys(form), definition.fields.fields, version);
  const { theirs, both } = rebased;
  const parts = [
    "Not saved, because someone else changed this. Your input is still here.",
    theirs.length > 0 ? `Their changes were added: ${theirs.join(", ")}.` : "",
    both.length > 0 ? `You both changed: ${both.join(", ")}. Your version is shown.` : "",
    "Review the changes, then save again.",
  ];
  const conflict = problem.conflict(parts.filter((part) => part !== "").join(" "));
  if (wantsJson(c) || isTooLarge(rebased.draft.fields)) throw conflict;
  return sendEditor(c, state, rebased.draft, { error: conflict });
}
