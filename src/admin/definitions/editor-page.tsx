import type { Field } from "#domain/definition/field.ts";
import { Empty, Table } from "#html/parts.tsx";
import { typeWords, type Draft, labelOf } from "./draft.ts";
import { inputName } from "./draft-documents.ts";
import { may } from "#domain/credential/permissions.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { CollectionNow } from "#store/data/collections.ts";
import { showCount } from "#html/viewer.tsx";
import { textOf } from "#admin/form-input.ts";
import { CollectionHead, Indexing, dataAssets, words } from "./layout.tsx";
import { Editor, type EditorShown } from "./editor-form.tsx";
import { AdminPage } from "#admin/layout.tsx";

/** The fields, to be read. */
export function FieldsTable({ fields }: { fields: readonly Field[] }) {
  if (fields.length === 0) return <Empty>There is no field yet.</Empty>;
  return (
    <Table caption="Fields" heads={["Label", "Key", "Type", "Rules"]}>
      {fields.flatMap((field) => [
        <Row field={field} />,
        ...(field.type === "line_items"
          ? field.fields.map((column) => <Row field={column} within={field.label} />)
          : []),
      ])}
    </Table>
  );
}

function Row({ field, within }: { field: Field; within?: string }) {
  const rules = [
    field.required ? "required" : "",
    "unique" in field && field.unique ? "no value twice" : "",
    field.type === "computed" ? field.formula : "",
    "options" in field ? field.options.map(({ label }) => label).join(", ") : "",
  ];
  return (
    <tr>
      <th scope="row">{within === undefined ? field.label : `${within} › ${field.label}`}</th>
      <td>
        <code>{field.key}</code>
      </td>
      <td>{typeWords[field.type]}</td>
      <td class="full">{rules.filter((rule) => rule !== "").join("; ")}</td>
    </tr>
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
export function inputLabels({ fields }: Draft): Record<string, string> {
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

/** The fields of an app or form. */
export function DefinitionPage(
  shown: EditorShown & { now: CollectionNow; problem: Problem | undefined },
) {
  const { frame, now, problem, draft } = shown;
  const { collection, live, indexing, pending } = now;
  return (
    <CollectionHead
      {...{ frame, collection, live, problem }}
      labels={inputLabels(draft)}
      tab="fields"
    >
      {indexing ? <Indexing {...indexing} /> : null}
      {pending?.problem === null ? (
        <p class="notice warn" role="status">
          A change is under way: {showCount(pending.done)} of {showCount(pending.total)} looked at.
          What stands here holds until then.
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
      labels={inputLabels(draft)}
    >
      <Editor {...shown} />
    </AdminPage>
  );
}
