import type { Field } from "#domain/definition/field.ts";
import { EmptyState, Table } from "#html/parts.tsx";
import { fieldTypeNames, type Draft, labelOf } from "./draft.ts";
import { inputName } from "./draft-documents.ts";
import { maxDraftFields } from "./draft-size.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import { formatCount } from "#html/viewer.tsx";
import { textOf } from "#admin/form-input.ts";
import { CollectionLayout, IndexingProgress, editorAssets, collectionTerms } from "./layout.tsx";
import { Editor, type EditorProps } from "./editor-form.tsx";
import { AdminPage } from "#admin/layout.tsx";

/** A read-only table of the fields. */
function FieldsTable({ fields }: { fields: readonly Field[] }) {
  if (fields.length === 0) return <EmptyState>No fields yet</EmptyState>;
  return (
    <Table caption="Fields" columns={["Label", "Key", "Type", "Rules"]}>
      {fields.flatMap((field) => [
        <FieldRow field={field} />,
        ...(field.type === "line_items"
          ? field.fields.map((column) => <FieldRow field={column} listLabel={field.label} />)
          : []),
      ])}
    </Table>
  );
}

function FieldRow({ field, listLabel }: { field: Field; listLabel?: string }) {
  const rules = [
    field.required ? "required" : "",
    "unique" in field && field.unique ? "unique" : "",
    field.type === "computed" ? field.formula : "",
    "options" in field ? field.options.map(({ label }) => label).join(", ") : "",
  ];
  return (
    <tr>
      <th scope="row">{listLabel === undefined ? field.label : `${listLabel} › ${field.label}`}</th>
      <td>
        <code>{field.key}</code>
      </td>
      <td>{fieldTypeNames[field.type]}</td>
      <td class="full">{rules.filter((rule) => rule !== "").join("; ")}</td>
    </tr>
  );
}

const fieldInputNames = [
  "label",
  "key",
  "help",
  "section",
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
  "max_files",
  "max_bytes",
  "accept",
  "default",
];

/** Labels of the inputs, for the error summary. */
function inputLabels({ fields }: Draft): Record<string, string> {
  const fixedLabels: [string, string][] = [
    ["name", "Name"],
    ["key", "Key"],
    ["time_zone", "Time zone"],
    ["location", "Data location"],
    ["sure", "Hide removed fields"],
  ];
  const fieldLabels = fields.flatMap((field, index) => [
    ...fieldInputLabels([index], labelOf(field)),
    ...field.fields.flatMap((column, columnIndex) =>
      fieldInputLabels([index, columnIndex], `${labelOf(field)} › ${labelOf(column)}`),
    ),
  ]);
  return Object.fromEntries([...fixedLabels, ...fieldLabels]);
}

function fieldInputLabels(path: readonly number[], label: string): [string, string][] {
  return fieldInputNames.map((name) => [
    inputName(path, name),
    `${label}, ${name.replaceAll("_", " ")}`,
  ]);
}

interface DefinitionPageProps extends EditorProps {
  current: CurrentCollection;
  problem: Problem | undefined;
}

function DefinitionActions({ frame, current }: Pick<DefinitionPageProps, "frame" | "current">) {
  const { kind, key } = current.collection;
  const { path } = collectionTerms[kind];
  return (
    <>
      <a class="button quiet" href={`${path}/${key}/changes`}>
        Versions
      </a>
      {roleAllows(frame.member.role, "define") ? (
        <a class="button quiet" href={`${path}?new&copy=${key}`}>
          Duplicate
        </a>
      ) : null}
    </>
  );
}

/** The page with the fields of an app or form. */
export function DefinitionPage(props: DefinitionPageProps) {
  const { frame, current, problem, draft } = props;
  const { collection, itemCount, indexing, pending } = current;
  return (
    <CollectionLayout
      {...{ frame, collection, live: itemCount, problem }}
      labels={inputLabels(draft)}
      tab="fields"
      actions={<DefinitionActions {...props} />}
    >
      {indexing ? <IndexingProgress {...indexing} /> : null}
      {pending?.problem === null ? (
        <p class="notice warn" role="status">
          A change is pending: {formatCount(pending.done)} of {formatCount(pending.total)} items
          checked. The fields below apply until then.
        </p>
      ) : null}
      {pending?.problem ? (
        <p class="notice bad">The last change was rejected: {textOf(pending.problem["detail"])}</p>
      ) : null}
      {roleAllows(frame.member.role, "define") ? (
        <Editor {...props} />
      ) : (
        <>
          <p class="muted">Only owners, admins and editors can edit fields.</p>
          <FieldsTable fields={collection.definition.fields.fields} />
        </>
      )}
    </CollectionLayout>
  );
}

/** The page of a definition with too many fields for the editor. */
export function LargeDefinitionPage({
  frame,
  current,
}: Pick<DefinitionPageProps, "frame" | "current">) {
  const { collection, itemCount } = current;
  const { kind, key, definition } = collection;
  return (
    <CollectionLayout {...{ frame, collection, live: itemCount }} tab="fields">
      <p class="notice">
        This page edits at most {formatCount(maxDraftFields)} fields.{" "}
        <a href={`${collectionTerms[kind].path}/${key}/json`}>Edit this definition as JSON</a>.
      </p>
      <FieldsTable fields={definition.fields.fields} />
    </CollectionLayout>
  );
}

/** The page that creates an app or form. */
export function NewDefinitionPage(props: EditorProps & { problem: Problem | undefined }) {
  const { frame, kind, problem, draft } = props;
  const { one: singular, many: plural, path } = collectionTerms[kind];
  return (
    <AdminPage
      {...editorAssets}
      frame={frame}
      title={`Create ${singular}`}
      crumbs={[[plural, path]]}
      problem={problem}
      labels={inputLabels(draft)}
    >
      <Editor {...props} />
    </AdminPage>
  );
}
