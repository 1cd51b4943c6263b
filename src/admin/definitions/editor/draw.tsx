import type { Context } from "hono";
import { previewDefinition, type Preview } from "../../../actions/definitions/preview-definition";
import { exampleData } from "../../../documents/openapi/answers/example";
import type { CollectionKind } from "../../../domain/definition/collection";
import type { Item } from "../../../domain/item/item";
import { Problem, problem, type FieldError } from "../../../domain/problem/problem";
import { problems } from "../../../domain/problem/problem-catalogue";
import type { AdminEnv } from "../../../env";
import type { CollectionNow } from "../../../store/definitions/collection-now";
import { frameOf } from "../../frame/frame";
import { words } from "../words";
import { fieldDocuments } from "../draft/document";
import type { Draft, DraftField } from "../draft/draft";
import { DefinitionPage } from "./definition-page";
import { NewPage } from "./new-page";
import { inputName } from "../draft/sent-draft";

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
