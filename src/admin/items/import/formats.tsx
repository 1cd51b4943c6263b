import type { Collection } from "#domain/definition/collection.ts";
import { createCellReader } from "#domain/import/cells.ts";
import { importableFields, type ImportPlan } from "#domain/import/csv.ts";
import { useViewer, ViewerContext } from "#html/viewer.tsx";
import { Value, valueText } from "#admin/items/value.tsx";
import { textOf } from "#admin/form-input.ts";
import { useText } from "#admin/language/index.tsx";
import { Select } from "#html/inputs.tsx";
import { formatChoices, type FileFormats } from "./file.ts";

/** Offers the notations of values. The first rows show the result. */
export function FormatInputs({ formats }: { formats: FileFormats }) {
  const { labels, formats: names } = useText().itemImport;
  const options = (name: keyof FileFormats) =>
    formatChoices[name].map((value) => ({
      value,
      label: (names[name] as Record<string, string>)[value] ?? value,
    }));
  return (
    <div class="grid">
      <Select
        name="delimiter"
        label={labels.delimiter}
        options={options("delimiter")}
        value={formats.delimiter}
      />
      <Select
        name="numbers"
        label={labels.numbers}
        options={options("numbers")}
        value={formats.numbers}
      />
      <Select name="dates" label={labels.dates} options={options("dates")} value={formats.dates} />
    </div>
  );
}

const maxPreviewLength = 60;
export const truncateCell = (text: string) =>
  text.length > maxPreviewLength ? `${text.slice(0, maxPreviewLength)}…` : text;

/** A cell of the file, with its parsed value if that differs. Times are in the zone of the import. */
export function ReadCell({
  plan,
  collection,
  index,
  cell,
}: {
  plan: ImportPlan;
  collection: Collection;
  index: number;
  cell: string;
}) {
  const viewer = useViewer();
  const field = importableFields(collection).find(({ key }) => key === plan.columns[index]);
  const value = field && createCellReader(field, plan)(cell);
  const { terms } = useText();
  if (!field || value === null) return <>{truncateCell(cell)}</>;
  const displayedText = valueText(field, value, terms, { ...viewer, zone: plan.zone });
  if ([displayedText, textOf(value)].includes(cell.trim())) return <>{truncateCell(cell)}</>;
  return (
    <>
      {truncateCell(cell)}
      <small>
        {" →\u00a0"}
        <ViewerContext.Provider value={{ ...viewer, zone: plan.zone }}>
          <Value field={field} value={value} short />
        </ViewerContext.Provider>
      </small>
    </>
  );
}
