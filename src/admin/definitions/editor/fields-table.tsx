import type { Field } from "../../../domain/definition/field";
import { Empty } from "../../../html/parts/empty";
import { Table } from "../../../html/parts/table";
import { typeWords } from "../draft/types";

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
