import type { Collection } from "../../../../domain/definition/collection";
import { importable, ownTargets } from "../../../../domain/import/columns";
import { Options } from "../../../../html/form/options";
import { WrongWith } from "../../../../html/form/field";
import { useField } from "../../../../html/form/use-field";
import { Table } from "../../../../html/parts/table";
import type { Import } from "../file";

const longest = 60;
export const shortened = (text: string) =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;

/** What each column becomes, beside what its first row says. */
export function ColumnChoices({ file, collection }: { file: Import; collection: Collection }) {
  const { csv, plan } = file;
  const options = [
    { value: "", label: "— left out —" },
    ...importable(collection).map(({ key, label }) => ({ value: key, label })),
    ...(collection.kind === "form"
      ? [{ value: ownTargets.status as string, label: "Status" }]
      : []),
    { value: ownTargets.id as string, label: "Id" },
  ];
  return (
    <Table caption="Columns" heads={["Column", "First row", "Becomes"]}>
      {csv.header.map((name, i) => (
        <tr>
          <th scope="row">{name === "" ? `Column ${i + 1}` : name}</th>
          <td class="full">{shortened(csv.rows[0]?.cells[i] ?? "")}</td>
          <td>
            <Choice
              name={`column.${i}`}
              of={name}
              options={options}
              value={plan.columns[i] ?? ""}
            />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Choice({
  name,
  of,
  options,
  value,
}: {
  name: string;
  of: string;
  options: readonly { value: string; label: string }[];
  value: string;
}) {
  const { wired, wrong } = useField({ name });
  return (
    <>
      <select {...wired} aria-label={`${of} becomes`}>
        <Options options={options} value={value} />
      </select>
      <WrongWith id={wired.id} wrong={wrong} />
    </>
  );
}
