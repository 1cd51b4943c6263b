import type { Context } from "hono";
import { countAffected } from "#actions/count-affected.ts";
import { previewDefinition, type Preview } from "#actions/preview-definition.ts";
import { listRecalculationListeners } from "#actions/wake-listeners.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { itemName } from "#admin/items/value.tsx";
import { exampleData } from "#documents/openapi/examples.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Item } from "#domain/item/item.ts";
import { Problem, problem, type FieldError } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import type { AppName } from "#store/data/edited-collection.ts";
import { buildFieldDocuments, inputName } from "./draft-documents.ts";
import type { Draft, DraftField } from "./draft.ts";
import { explainDraft } from "./formula-help.ts";
import { checkReplacement } from "#actions/view-users.ts";
import type { AffectedUsers, Listeners } from "./outcome.tsx";

type AdminContext = Context<AdminEnv>;

/** The stored collection that the editor changes, and its newest item as an example. */
export interface EditorState {
  kind: CollectionKind;
  current: CurrentCollection | undefined;
  newest: Item | undefined;
  /** The apps that the references can point to. Undefined for a new definition. */
  apps?: readonly AppName[];
  text: Catalogue;
}

export const draftBody = ({ current, text }: EditorState, { fields }: Draft) => ({
  fields: buildFieldDocuments(
    fields,
    current?.collection.definition.fields.fields ?? [],
    text.terms.fieldTypes,
  ),
});

export function previewDraft(c: AdminContext, state: EditorState, draft: Draft): Preview {
  const { kind, current, newest } = state;
  const key = current?.collection.key ?? "new";
  const input = { current, newestItem: newest, buildSample: exampleData };
  return previewDefinition(c.var.action, kind, key, draftBody(state, draft), input);
}

/** The parts of the editor that are computed from a draft, besides its inputs. */
export interface DraftPreview {
  /** Undefined if the draft has errors. */
  preview: Preview | undefined;
  /** The preview without the fields that have errors. */
  finished: Preview | undefined;
  exampleName: string | null;
  listeners: Listeners | undefined;
  viewUsers: AffectedUsers | undefined;
  /** All errors of the draft. */
  draftProblem: Problem | undefined;
  /** The problem without errors of options and formulas that are still empty. */
  inputProblem: Problem | undefined;
}

export async function buildDraftPreview(
  c: AdminContext,
  state: EditorState,
  draft: Draft,
): Promise<DraftPreview> {
  const { preview: uncounted, problem: found } = tryPreview(() => previewDraft(c, state, draft));
  const preview = uncounted && (await withCounts(c, state, uncounted));
  const draftProblem = found && explainDraft(found, draft.fields, state.text);
  const finished = preview ?? previewFinishedFields(c, state, draft, found);
  return {
    preview,
    finished,
    exampleName: exampleName(state, finished),
    listeners: await listListeners(c, state, preview),
    viewUsers: await listViewUsers(c, state, preview),
    draftProblem,
    inputProblem: withoutEmptyInputErrors(draftProblem, draft),
  };
}

async function withCounts(
  c: AdminContext,
  { current }: EditorState,
  preview: Preview,
): Promise<Preview> {
  if (!current) return preview;
  const differences = await countAffected(c.var.action, current, preview.differences);
  return { ...preview, differences };
}

/** The maximum number of rounds. Fields can depend on an unfinished one, which takes another round to find. */
const maxPreviewRounds = 3;

/** Previews the fields without those that have errors, so that one unfinished field does not hide the others. */
function previewFinishedFields(
  c: AdminContext,
  state: EditorState,
  draft: Draft,
  draftProblem: Problem | undefined,
): Preview | undefined {
  let fields = draft.fields;
  let problemNow = draftProblem;
  for (let round = 0; round < maxPreviewRounds && problemNow; round += 1) {
    const errors = (problemNow.members["errors"] ?? []) as FieldError[];
    const wrong = new Set(errors.map(({ field }) => /^fields\[(\d+)\]/.exec(field)?.[1]));
    if (wrong.has(undefined) || wrong.size === 0) return undefined;
    fields = fields.filter((_, index) => !wrong.has(String(index)));
    const finished = { ...draft, fields };
    const result = tryPreview(() => previewDraft(c, state, finished));
    if (result.preview) return result.preview;
    problemNow = result.problem;
  }
  return undefined;
}

/** Returns the name of the newest item, whose values the results of formulas use. Null if there is none. */
function exampleName({ newest }: EditorState, finished: Preview | undefined): string | null {
  if (!newest || !finished) return null;
  const { fields } = finished.definition.fields;
  return newest.receiptNumber ?? itemName(finished.example, fields) ?? `…${newest.id.slice(-8)}`;
}

/** Lists the webhooks that would receive events for the items that the change recalculates. */
async function listListeners(
  c: AdminContext,
  { kind, current }: EditorState,
  preview: Preview | undefined,
): Promise<Listeners | undefined> {
  if (!current || !preview || preview.itemCount === 0 || preview.calculatedLabels.length === 0)
    return undefined;
  const webhooks = await listRecalculationListeners(c.var.action, kind, current.collection.key);
  const isVisible = roleAllows(c.var.member.role, "webhooks");
  return { count: webhooks.length, names: isVisible ? webhooks.map(({ name }) => name) : [] };
}

/** Lists the credentials and webhooks that would see other items or fields after the change. */
async function listViewUsers(
  c: AdminContext,
  { current }: EditorState,
  preview: Preview | undefined,
): Promise<AffectedUsers | undefined> {
  if (!current || !preview) return undefined;
  const { role } = c.var.member;
  try {
    const effects = await checkReplacement(c.var.action, current, preview.definition);
    const { views, users, webhooks } = effects;
    if (views.length === 0) return undefined;
    return {
      views,
      credentials: namedIf(roleAllows(role, "credentials"), users),
      webhooks: namedIf(roleAllows(role, "webhooks"), webhooks),
    };
  } catch (error) {
    // Saving will report the problem.
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

const namedIf = (isVisible: boolean, all: readonly { name: string }[]): Listeners => ({
  count: all.length,
  names: isVisible ? all.map(({ name }) => name) : [],
});

/** Drops the errors of options and formulas that are still empty. */
function withoutEmptyInputErrors(
  draftProblem: Problem | undefined,
  draft: Draft,
): Problem | undefined {
  if (!draftProblem) return undefined;
  const errors = (draftProblem.members["errors"] ?? []) as FieldError[];
  const emptyInputs = new Set(
    draft.fields.flatMap((field, index) => [
      ...emptyInputNames(field, [index]),
      ...field.fields.flatMap((column, columnIndex) =>
        emptyInputNames(column, [index, columnIndex]),
      ),
    ]),
  );
  return problem.invalidInput(errors.filter(({ field }) => !emptyInputs.has(field)));
}

function emptyInputNames({ rules }: DraftField, path: number[]): string[] {
  const names = ["options", "formula"] as const;
  return names.filter((name) => rules[name] === "").map((name) => inputName(path, name));
}

function tryPreview(build: () => Preview): {
  preview: Preview | undefined;
  problem: Problem | undefined;
} {
  try {
    return { preview: build(), problem: undefined };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { preview: undefined, problem: error };
  }
}
