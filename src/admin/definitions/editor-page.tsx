import type { Field } from "#domain/definition/field.ts";
import { EmptyState, Table } from "#html/parts.tsx";
import { type Draft, type DraftField, labelOf } from "./draft.ts";
import { inputName } from "./draft-documents.ts";
import { maxDraftFields } from "./draft-size.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { textOf } from "#admin/form-input.ts";
import { CollectionLayout, IndexingProgress, editorAssets, collectionPath } from "./layout.tsx";
import { Editor, type EditorProps } from "./editor-form.tsx";
import { AdminPage } from "#admin/layout.tsx";

/** A read-only table of the fields. */
function FieldsTable({ fields }: { fields: readonly Field[] }) {
  const { definitionEditor, terms } = useText();
  const text = definitionEditor.page;
  if (fields.length === 0) return <EmptyState>{text.noFields}</EmptyState>;
  const { label, type, rules } = text.columns;
  return (
    <Table caption={text.fields} columns={[label, terms.key, type, rules]}>
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
  const { definitionEditor, terms } = useText();
  const text = definitionEditor.page.rules;
  const rules = [
    field.required ? text.required : "",
    "unique" in field && field.unique ? text.unique : "",
    field.type === "computed" ? field.formula : "",
    "options" in field ? terms.list(field.options.map(({ label }) => label)) : "",
  ];
  return (
    <tr>
      <th scope="row">{listLabel === undefined ? field.label : `${listLabel} › ${field.label}`}</th>
      <td>
        <code>{field.key}</code>
      </td>
      <td>{terms.fieldTypes[field.type]}</td>
      <td class="full">{rules.filter((rule) => rule !== "").join("; ")}</td>
    </tr>
  );
}

/** Returns the labels of the inputs for the error summary. */
function inputLabels(
  { fields }: Draft,
  { definitions, definitionEditor: text, terms }: Catalogue,
): Record<string, string> {
  const fixedLabels: [string, string][] = [
    ["name", terms.name],
    ["key", terms.key],
    ["time_zone", definitions.timeZone],
    ["location", text.location],
    ["sure", text.hide],
  ];
  const nameOf = (field: DraftField) => labelOf(field, terms.fieldTypes);
  const fieldLabels = fields.flatMap((field, index) => [
    ...fieldInputLabels([index], nameOf(field), text),
    ...field.fields.flatMap((column, columnIndex) =>
      fieldInputLabels([index, columnIndex], `${nameOf(field)} › ${nameOf(column)}`, text),
    ),
  ]);
  return Object.fromEntries([...fixedLabels, ...fieldLabels]);
}

function fieldInputLabels(
  path: readonly number[],
  label: string,
  text: Catalogue["definitionEditor"],
): [string, string][] {
  return Object.entries(text.inputs).map(([name, input]) => [
    inputName(path, name),
    text.inputOf(label, input),
  ]);
}

interface DefinitionPageProps extends EditorProps {
  current: CurrentCollection;
  problem: Problem | undefined;
}

function DefinitionActions({ frame, current }: Pick<DefinitionPageProps, "frame" | "current">) {
  const { kind, key } = current.collection;
  const text = frame.text.definitionEditor.page;
  const path = collectionPath[kind];
  return (
    <>
      <a class="button quiet" href={`${path}/${key}/changes`}>
        {text.versions}
      </a>
      {roleAllows(frame.member.role, "define") ? (
        <a class="button quiet" href={`${path}?new&copy=${key}`}>
          {text.duplicate}
        </a>
      ) : null}
    </>
  );
}

/** The page with the fields of an app or form. */
export function DefinitionPage(props: DefinitionPageProps) {
  const { frame, current, problem, draft } = props;
  const { collection, itemCount, indexing, pending } = current;
  const text = frame.text.definitionEditor.page;
  return (
    <CollectionLayout
      {...{ frame, collection, live: itemCount, problem }}
      labels={inputLabels(draft, frame.text)}
      tab="fields"
      actions={<DefinitionActions {...props} />}
    >
      {indexing ? <IndexingProgress {...indexing} /> : null}
      {pending?.problem === null ? (
        <p class="notice warn" role="status">
          {text.pending(pending.done, pending.total)}
        </p>
      ) : null}
      {pending?.problem ? (
        <p class="notice bad">{text.rejected(textOf(pending.problem["detail"]))}</p>
      ) : null}
      {roleAllows(frame.member.role, "define") ? (
        <Editor {...props} />
      ) : (
        <>
          <p class="muted">{text.readOnly}</p>
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
  const text = frame.text.definitionEditor.page;
  return (
    <CollectionLayout {...{ frame, collection, live: itemCount }} tab="fields">
      <p class="notice">
        {text.tooLarge(
          maxDraftFields,
          <a href={`${collectionPath[kind]}/${key}/json`}>{text.editAsJson}</a>,
        )}
      </p>
      <FieldsTable fields={definition.fields.fields} />
    </CollectionLayout>
  );
}

/** The page that creates an app or form. */
export function NewDefinitionPage(props: EditorProps & { problem: Problem | undefined }) {
  const { frame, kind, problem, draft } = props;
  const { one, many } = frame.text.terms.collections[kind];
  return (
    <AdminPage
      {...editorAssets}
      frame={frame}
      title={frame.text.definitions.create(one)}
      crumbs={[[many, collectionPath[kind]]]}
      problem={problem}
      labels={inputLabels(draft, frame.text)}
    >
      <Editor {...props} />
    </AdminPage>
  );
}
