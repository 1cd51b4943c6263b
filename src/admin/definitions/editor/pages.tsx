import { may } from "../../../domain/credential/permissions";
import type { Problem } from "../../../domain/problem/problem";
import type { CollectionNow } from "../../../store/definitions/collections";
import { AdminPage } from "../../frame/layout";
import { textOf } from "../../frame/sent";
import { dataAssets } from "../assets";
import { CollectionHead } from "../head";
import { Indexing } from "../indexing";
import { words } from "../words";
import type { Draft } from "../draft/draft";
import { labelOf } from "../draft/draft";
import { Editor, type EditorShown } from "./editor-page";
import { FieldsTable } from "./fields-table";
import { inputName } from "../draft/sent-draft";

/** An app or form that is being made. */
export function NewPage(shown: EditorShown & { problem: Problem | undefined }) {
  const { frame, kind, problem, draft } = shown;
  const { one, many, path } = words[kind];
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={`New ${one}`}
      crumbs={[[many, path]]}
      problem={problem}
      labels={labelsOf(draft)}
    >
      <Editor {...shown} />
    </AdminPage>
  );
}

/** The fields of an app or form. */
export function DefinitionPage(
  shown: EditorShown & { now: CollectionNow; problem: Problem | undefined },
) {
  const { frame, now, problem, draft } = shown;
  const { collection, live, indexing, pending } = now;
  return (
    <CollectionHead {...{ frame, collection, live, problem }} labels={labelsOf(draft)} tab="fields">
      {indexing ? <Indexing {...indexing} /> : null}
      {pending?.problem === null ? (
        <p class="notice warn" role="status">
          A change is under way: {pending.done} of {pending.total} looked at. What stands here holds
          until then.
        </p>
      ) : null}
      {pending?.problem ? (
        <p class="notice bad">The last change was not made: {textOf(pending.problem["detail"])}</p>
      ) : null}
      {may(frame.member.role, "define") ? (
        <Editor {...shown} />
      ) : (
        <>
          <p class="muted">Owners, admins and editors can change these.</p>
          <FieldsTable fields={collection.definition.fields.fields} />
        </>
      )}
    </CollectionHead>
  );
}

const parts = [
  "label",
  "key",
  "options",
  "formula",
  "result",
  "decimals",
  "min_length",
  "max_length",
  "pattern",
  "minimum",
  "maximum",
  "min_rows",
  "max_rows",
  "default",
];

/** What people call each input, for the summary of what was wrong. */
function labelsOf({ fields }: Draft): Record<string, string> {
  const own: [string, string][] = [
    ["name", "Name"],
    ["key", "Key"],
    ["sure", "Hide what is taken away"],
  ];
  const inFields = fields.flatMap((field, index) => [
    ...labelsAt([index], labelOf(field)),
    ...field.fields.flatMap((column, at) =>
      labelsAt([index, at], `${labelOf(field)} › ${labelOf(column)}`),
    ),
  ]);
  return Object.fromEntries([...own, ...inFields]);
}

function labelsAt(path: readonly number[], label: string): [string, string][] {
  return parts.map((part) => [inputName(path, part), `${label}, ${part.replaceAll("_", " ")}`]);
}
