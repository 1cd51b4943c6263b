import { Act } from "../../html/act";
import type { Document, FieldDocument } from "./context";
import { types } from "./field-input";
import { textOf } from "../frame/sent";

const shownRules = [
  "required",
  "unique",
  "integer",
  "minimum",
  "maximum",
  "decimals",
  "min_length",
  "pattern",
  "min_rows",
  "max_rows",
  "formula",
  "default",
];

function rulesOf(field: FieldDocument): string {
  const rules = shownRules
    .filter((name) => field[name] !== undefined && field[name] !== false)
    .map((name) =>
      field[name] === true ? name : `${name.replaceAll("_", " ")} ${String(field[name])}`,
    );
  return [...rules, ...(field["searchable"] === false ? ["not searchable"] : [])].join(", ");
}

interface Row {
  base: string;
  field: FieldDocument;
  within?: string;
  define: boolean;
  version: number;
}

/** A field, and what can be done with it. */
export function FieldRow({ base, field, within, define, version }: Row) {
  const name = within === undefined ? field.key : `${within}.${field.key}`;
  const at = `${base}/fields/${name}`;
  const values = { version: String(version) };
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td>{textOf(field["label"])}</td>
      <td>{field.type}</td>
      <td>{rulesOf(field)}</td>
      {define ? (
        <td>
          <div class="actions">
            <a class="button quiet" href={at} aria-label={`Edit ${name}`}>
              Edit
            </a>
            <Act
              action={`${at}/move`}
              name={<span aria-label={`Move ${name} up`}>↑</span>}
              quiet
              values={{ ...values, direction: "up" }}
            />
            <Act
              action={`${at}/move`}
              name={<span aria-label={`Move ${name} down`}>↓</span>}
              quiet
              values={{ ...values, direction: "down" }}
            />
            <Act
              action={`${at}/remove`}
              name={<span aria-label={`Remove ${name}`}>Remove</span>}
              confirm={`Remove ${name}? Its data stays stored, hidden, and comes back with the field.`}
              values={values}
            />
          </div>
        </td>
      ) : null}
    </tr>
  );
}

/** The choice of a type for a new field. */
export function AddField({ base, document }: { base: string; document: Document }) {
  const lists = document.fields.filter(({ type }) => type === "line_items");
  return (
    <form method="get" action={`${base}/fields/new`} class="actions">
      <label>
        Add a field
        <select name="type">
          {types.map(([type, meaning]) => (
            <option value={type}>
              {type}: {meaning}
            </option>
          ))}
        </select>
      </label>
      {lists.length > 0 ? (
        <label>
          to
          <select name="within">
            <option value="">the {document.key} itself</option>
            {lists.map(({ key }) => (
              <option value={key}>the rows of {key}</option>
            ))}
          </select>
        </label>
      ) : null}
      <button type="submit">Add</button>
    </form>
  );
}
