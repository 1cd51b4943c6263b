import type { Collection } from "#domain/definition/collection.ts";
import { importableFields, itemTargets, targetKey } from "#domain/import/csv.ts";
import { ReadCell, truncateCell } from "./formats.tsx";
import { maxListedRows, ShortCell } from "./rejections.tsx";
import { SelectOptions, InputErrors, useField, Select } from "#html/inputs.tsx";
import { ChangedValue } from "#admin/items/change-list.tsx";
import { capitalize } from "#domain/text.ts";
import { Table, Badge, type Tone } from "#html/parts.tsx";
import { type ImportFile, matchTargets, type ChangedRow } from "./file.ts";
import { collectionPath } from "#admin/definitions/layout.tsx";
import { useText } from "#admin/language/index.tsx";
import type { CheckedRow, RowOutcome } from "#actions/import-rows.ts";
import { Problem } from "#domain/problem/problem.ts";

/** Assigns each column to a field. Shows the column's first value as an example. */
export function ColumnChoices({ file, collection }: { file: ImportFile; collection: Collection }) {
  const { csv, plan } = file;
  const text = useText().itemImport;
  const options = [
    { value: "", label: text.notImported },
    ...importableFields(collection).map(({ key, label }) => ({ value: key, label })),
    ...(collection.kind === "form"
      ? [{ value: itemTargets.status as string, label: text.status }]
      : []),
    { value: itemTargets.id as string, label: "ID" },
  ];
  return (
    <Table caption={text.labels.columns} columns={[text.column, text.firstRow, text.field]}>
      {csv.header.map((name, i) => (
        <tr>
          <th scope="row">{name === "" ? text.unnamedColumn(i + 1) : name}</th>
          <td class="full">
            <ShortCell cell={csv.rows[0]?.cells[i] ?? ""} />
          </td>
          <td>
            <ColumnChoice
              name={`column.${i}`}
              columnName={name}
              options={withReference(options, plan.columns[i] ?? "")}
              value={plan.columns[i] ?? ""}
            />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Adds the target of a column that identifies records by a unique field of their app, as in `customer.email`. */
function withReference(options: { value: string; label: string }[], target: string) {
  if (!target.includes(".")) return options;
  const label = options.find(({ value }) => value === targetKey(target))?.label ?? "";
  const { length } = targetKey(target);
  return [
    ...options,
    { value: target, label: `${label}${target.slice(length).replace(".", ": ")}` },
  ];
}

function ColumnChoice({
  name,
  columnName,
  options,
  value,
}: {
  name: string;
  columnName: string;
  options: readonly { value: string; label: string }[];
  value: string;
}) {
  const { inputProps, wrong: errors } = useField({ name });
  return (
    <>
      <select {...inputProps} aria-label={useText().itemImport.fieldFor(columnName)}>
        <SelectOptions options={options} value={value} />
      </select>
      <InputErrors id={inputProps.id} wrong={errors} />
    </>
  );
}

/** Offers the choice whether rows update existing items, and the field that identifies them. */
export function MatchChoice({ file, collection }: { file: ImportFile; collection: Collection }) {
  const { itemImport: text, terms } = useText();
  const { items } = terms.collections[collection.kind];
  const labelOf = (target: string) =>
    collection.definition.fields.fields.find(({ key }) => key === target)?.label ?? "ID";
  return (
    <Select
      name="by"
      label={text.existing(items)}
      value={file.plan.by}
      options={[
        { value: "", label: text.keepExisting(items) },
        ...matchTargets(file.plan.columns, collection).map((value) => ({
          value,
          label: text.updateExisting(labelOf(value)),
        })),
      ]}
    />
  );
}

/** Lists the items that the import would change, and each changed value. */
function ChangesTable({
  changes,
  collection,
}: {
  changes: readonly ChangedRow[];
  collection: Collection;
}) {
  const { itemImport: text, terms } = useText();
  if (changes.length === 0) return null;
  const path = collectionPath[collection.kind];
  const { item } = terms.collections[collection.kind];
  const byKey = new Map(collection.definition.fields.fields.map((field) => [field.key, field]));
  return (
    <>
      <h2>{text.updates}</h2>
      <Table
        caption={text.updates}
        columns={[{ name: text.line, number: true }, capitalize(item), text.changedFields]}
      >
        {changes.slice(0, maxListedRows).map(({ line, id, receiptNumber, fields }) => (
          <tr>
            <td class="number" data-label={text.line}>
              {line}
            </td>
            <td>
              <a href={`${path}/${collection.key}/items/${id}`}>
                {receiptNumber ?? `…${id.slice(-8)}`}
              </a>
            </td>
            <td class="full">
              {fields.map(({ key, label, from, to }, index) => (
                <>
                  {index > 0 ? "; " : ""}
                  {label}: <ChangedValue field={byKey.get(key)} value={from} /> →{" "}
                  <ChangedValue field={byKey.get(key)} value={to} />
                </>
              ))}
            </td>
          </tr>
        ))}
      </Table>
      {changes.length > maxListedRows ? (
        <p class="muted">{text.otherUpdates(changes.length - maxListedRows)}</p>
      ) : null}
      <p>
        <button type="submit" name="act" value="changes" class="quiet little">
          {text.downloadUpdates}
        </button>
      </p>
    </>
  );
}

const previewRowCount = 20;
/** The number of columns on phones. */
const maxPhoneColumns = 3;

const outcomeTones: Record<Exclude<RowOutcome, Problem>, Tone> = {
  created: "good",
  updated: "accent",
  unchanged: "quiet",
  deleted: "bad",
};

/** Lists the updates, and the first accepted rows. */
export function ImportPreview({
  file: { csv, plan },
  collection,
  checkedRows,
  changes,
}: {
  file: ImportFile;
  collection: Collection;
  checkedRows: readonly CheckedRow[];
  changes: readonly ChangedRow[];
}) {
  const text = useText().itemImport;
  const columns = csv.header
    .map((name, index) => ({ name, index }))
    .filter(({ index }) => plan.columns[index] !== "");
  const acceptedRows = csv.rows
    .map((row, i) => ({ row, outcome: checkedRows[i]?.outcome }))
    .filter(({ outcome }) => !(outcome instanceof Problem))
    .slice(0, previewRowCount);
  return (
    <>
      <ChangesTable changes={changes} collection={collection} />
      {acceptedRows.length === 0 ? null : (
        <>
          <h2>{text.firstRows(acceptedRows.length)}</h2>
          {columns.length > maxPhoneColumns ? (
            <p class="muted only-narrow">{text.firstColumns(maxPhoneColumns, columns.length)}</p>
          ) : null}
          <Table
            caption={text.firstRows(acceptedRows.length)}
            columns={[
              { name: text.line, number: true },
              text.result,
              ...columns.map(({ name }) => truncateCell(name)),
            ]}
          >
            {acceptedRows.map(({ row, outcome }) => (
              <tr>
                <td class="number">{row.line}</td>
                <td>
                  <OutcomeBadge outcome={outcome} />
                </td>
                {columns.map(({ name, index }, position) => (
                  <td
                    class={position < maxPhoneColumns ? undefined : "less"}
                    data-label={truncateCell(name)}
                  >
                    <ReadCell {...{ plan, collection, index }} cell={row.cells[index] ?? ""} />
                  </td>
                ))}
              </tr>
            ))}
          </Table>
        </>
      )}
    </>
  );
}

function OutcomeBadge({ outcome }: { outcome: RowOutcome | undefined }) {
  const { badges } = useText().itemImport;
  if (outcome === undefined || outcome instanceof Problem) return null;
  return <Badge tone={outcomeTones[outcome]}>{badges[outcome]}</Badge>;
}
