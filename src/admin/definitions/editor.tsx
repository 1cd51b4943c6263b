import type { Context } from "hono";
import { previewDefinition, type Preview } from "#actions/preview-definition.ts";
import { exampleData } from "#documents/openapi/examples.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Item } from "#domain/item/item.ts";
import { Problem, problem, type FieldError } from "#domain/problem/problem.ts";
import { problems } from "#domain/problem/catalogue.ts";
import type { AdminEnv } from "#http/env.ts";
import type { CollectionNow } from "#store/data/collections.ts";
import { frameOf } from "#admin/layout.tsx";
import { words, documentOf } from "./layout.tsx";
import { fieldDocuments, inputName, knownKeys, sentDraft } from "./draft-documents.ts";
import { type Draft, type DraftField, makeKey } from "./draft.ts";
import { DefinitionPage, NewPage } from "./editor-page.tsx";
import { putDefinition, readWithNewestItem, type Put } from "#actions/definitions.ts";
import { collectionKey } from "#domain/definition/document.ts";
import { noFields } from "#domain/definition/field.ts";
import { may } from "#domain/credential/permissions.ts";
import { etagOf } from "#domain/preconditions.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { answerDone } from "#admin/page.ts";
import { readSent, wantsJson, textOf, type Sent } from "#admin/form-input.ts";
import { say } from "#admin/preferences.ts";
import { acted, draftsOf, rebase } from "./edit-draft.ts";

type C = Context<AdminEnv>;

/** What the editor works on: what is stored of it, and the newest item, for an example. */
export interface Basis {
  kind: CollectionKind;
  now: CollectionNow | undefined;
  newest: Item | undefined;
}

export const draftBody = ({ now }: Basis, { fields }: Draft) => ({
  fields: fieldDocuments(fields, now?.collection.definition.fields.fields ?? []),
});

export function previewOf(c: C, { kind, now, newest }: Basis, draft: Draft): Preview {
  const key = now?.collection.key ?? "new";
  const body = draftBody({ kind, now, newest }, draft);
  return previewDefinition(c.var.action, kind, key, body, { now, newest, sample: exampleData });
}

/** The editor, with what saving would do. */
export async function drawn(
  c: C,
  basis: Basis,
  draft: Draft,
  { refusal, focus }: { refusal?: Problem; focus?: number[] | undefined } = {},
): Promise<Response> {
  const { kind, now } = basis;
  const judged = judge(() => previewOf(c, basis, draft));
  // Whoever adds a field has not finished it: what it lacks is told when it is saved.
  const wrong = refusal
    ? refusal.members["errors"]
      ? refusal
      : judged.wrong
    : begun(judged.wrong, draft);
  const editor = {
    frame: frameOf(c),
    kind,
    draft,
    stored: now?.collection.definition.fields ?? null,
    preview: judged.preview,
    wrong,
    focus,
    action: now ? `${words[kind].path}/${now.collection.key}/fields` : words[kind].path,
  };
  const status = refusal ? problems[refusal.code].status : 200;
  const page = now ? (
    <DefinitionPage {...editor} now={now} problem={refusal} />
  ) : (
    <NewPage {...editor} problem={refusal} />
  );
  return c.html(page, status, refusal?.headers);
}

/** What is wrong, apart from options and formulas that nobody has written yet. */
function begun(wrong: Problem | undefined, draft: Draft): Problem | undefined {
  if (!wrong) return undefined;
  const errors = (wrong.members["errors"] ?? []) as FieldError[];
  const unwritten = new Set(
    draft.fields.flatMap((field, index) => [
      ...unwrittenOf(field, [index]),
      ...field.fields.flatMap((column, at) => unwrittenOf(column, [index, at])),
    ]),
  );
  return problem.invalidInput(errors.filter(({ field }) => !unwritten.has(field)));
}

function unwrittenOf({ rules }: DraftField, path: number[]): string[] {
  const names = ["options", "formula"] as const;
  return names.filter((name) => rules[name] === "").map((name) => inputName(path, name));
}

function judge(look: () => Preview): { preview?: Preview; wrong: Problem | undefined } {
  try {
    return { preview: look(), wrong: undefined };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { wrong: error };
  }
}

async function basisOf(c: C, kind: CollectionKind): Promise<Basis & { now: CollectionNow }> {
  const key = c.req.param("key") ?? "";
  return { kind, ...(await readWithNewestItem(c.var.action, kind, key)) };
}

export async function showEditor(c: C, kind: CollectionKind): Promise<Response> {
  const basis = await basisOf(c, kind);
  c.header("Vary", "Accept");
  if (wantsJson(c)) return c.json({ ...documentOf(basis.now), live: basis.now.live });
  return drawn(c, basis, await storedDraft(basis.now));
}

export async function showNew(c: C, kind: CollectionKind): Promise<Response> {
  if (!may(c.var.member.role, "define")) throw problem.roleRequired("define");
  const draft = { version: 0, key: "", name: "", fields: [] };
  return drawn(c, { kind, now: undefined, newest: undefined }, draft);
}

async function storedDraft({ collection }: CollectionNow): Promise<Draft> {
  const { key, version, definition } = collection;
  const fields = await draftsOf(definition.fields.fields);
  return { version, key, name: definition.name, fields };
}

/** Saves the fields; or does to the draft what a button says, and shows what saving would do. */
export async function saveFields(c: C, kind: CollectionKind): Promise<Response> {
  const sent = await readSent(c);
  const basis = await basisOf(c, kind);
  const { collection } = basis.now;
  const draft = { ...sentDraft(sent), key: collection.key, name: collection.definition.name };
  if (draft.version !== collection.version) return afterOthers(c, basis, draft, sent);
  const act = actSent(c, sent);
  if (act !== "save") return actedUpon(c, basis, draft, act);
  try {
    refuseUnsure(previewOf(c, basis, draft), sent);
    const saved = await put(c, kind, collection.key, draftBody(basis, draft), draft.version);
    const name = collection.definition.name;
    say(c, saidOf(saved.outcome, name, saved.live, words[kind].items));
    return answerDone(c, documentOf(saved), `${words[kind].path}/${collection.key}`);
  } catch (error) {
    if (error instanceof Problem && error.code === "version_mismatch") {
      return afterOthers(c, await basisOf(c, kind), draft, sent);
    }
    if (!(error instanceof Problem) || wantsJson(c)) throw error;
    return drawn(c, basis, draft, { refusal: error });
  }
}

export async function createCollection(c: C, kind: CollectionKind): Promise<Response> {
  const sent = await readSent(c);
  const draft = { ...sentDraft(sent), version: 0 };
  const basis = { kind, now: undefined, newest: undefined };
  const act = actSent(c, sent);
  if (act !== "save") return actedUpon(c, basis, draft, act);
  const key = draft.key || makeKey(draft.name, "", new Set());
  try {
    refuseNameless(draft, key);
    const body = { ...draftBody(basis, draft), name: draft.name, key };
    const saved = await put(c, kind, key, body, 0).catch((error: unknown) => {
      throw takenAs(error, key, words[kind].one);
    });
    say(c, `${draft.name} is made.`);
    return answerDone(c, documentOf(saved), `${words[kind].path}/${key}/items`, 201);
  } catch (error) {
    if (!(error instanceof Problem) || wantsJson(c)) throw error;
    return drawn(c, basis, draft, { refusal: error });
  }
}

/** What is to be done. An address of a draft stores nothing, whatever is sent there. */
function actSent(c: C, sent: Sent): string {
  const isDraft = c.req.query("draft") !== undefined;
  const act = textOf(sent["do"]) || "save";
  return isDraft && act === "save" ? "check" : act;
}

function put(c: C, kind: CollectionKind, key: string, body: object, version: number): Promise<Put> {
  return putDefinition(c.var.action, kind, key, body, {
    ifMatch: version === 0 ? null : [etagOf(version)],
    ifNoneMatch: version === 0 ? "*" : null,
  });
}

function refuseNameless({ name }: Draft, key: string): void {
  const errors = [];
  if (name === "") errors.push(errorAt(["name"], "required", "Write a name."));
  if (name !== "" && !collectionKey.test(key)) {
    const reason =
      "Small letters, digits, dashes and underscores, beginning with a letter; at most 63.";
    errors.push(errorAt(["key"], "invalid_format", reason));
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
}

function takenAs(error: unknown, key: string, one: string): unknown {
  if (!(error instanceof Problem) || error.code !== "version_mismatch") return error;
  const reason = `There is ${one === "app" ? "an" : "a"} ${one} with the key ${key} already.`;
  return problem.conflict(reason);
}

/** What is taken away is hidden only when somebody says so. */
function refuseUnsure({ differences }: Preview, sent: Sent): void {
  const hidden = differences.filter(({ what }) => what === "hidden").map(({ path }) => path);
  if (hidden.length === 0 || sent["sure"] !== undefined) return;
  const reason = `${hidden.join(", ")} would be hidden with what is stored there: tick that this is meant, or bring ${hidden.length === 1 ? "it" : "them"} back.`;
  throw problem.invalidInput([errorAt(["sure"], "required", reason)]);
}

function saidOf(outcome: Put["outcome"], name: string, live: number, items: string): string {
  if (outcome === "unchanged") return `Nothing was changed in ${name}.`;
  if (outcome === "pending") {
    return `${name} is being changed: ${live} ${items} are looked at first, and what holds now holds until then.`;
  }
  return `${name} is saved.`;
}

async function actedUpon(c: C, basis: Basis, draft: Draft, act: string): Promise<Response> {
  const stored = basis.now?.collection.definition.fields ?? noFields;
  const { draft: next, focus } = acted(draft, act, stored);
  return drawn(c, basis, next, { focus });
}

/** Somebody else saved first: nothing is stored; the draft goes on from what they left. */
async function afterOthers(
  c: C,
  basis: Basis & { now: CollectionNow },
  draft: Draft,
  sent: Sent,
): Promise<Response> {
  const { version, definition } = basis.now.collection;
  const rebased = await rebase(draft, knownKeys(sent), definition.fields.fields, version);
  const { theirs, both } = rebased;
  const parts = [
    "Somebody else changed this in the meantime. Nothing was saved, and what you wrote is still here.",
    theirs.length > 0 ? `Taken over from them: ${theirs.join(", ")}.` : "",
    both.length > 0 ? `Changed by both, and shown as you have it: ${both.join(", ")}.` : "",
    "Look at it, then save again.",
  ];
  const refusal = problem.conflict(parts.filter((part) => part !== "").join(" "));
  if (wantsJson(c)) throw refusal;
  return drawn(c, basis, rebased.draft, { refusal });
}
