import type { Field } from "../../../domain/definition/field";
import type { HistoryEntry } from "../../../domain/item/history";
import { textOf } from "../../frame/sent";
import { statusWords } from "../status";
import { Value } from "../value/value";

export function Changes({ entry, fields }: { entry: HistoryEntry; fields: readonly Field[] }) {
  if (entry.fields === null) return <p class="muted">What it changed is not known any more.</p>;
  if (entry.fields.length === 0) return null;
  const byKey = new Map(fields.map((field) => [field.key, field]));
  return (
    <dl>
      {entry.fields.map((change) => (
        <div>
          <dt>{change.label}</dt>
          <dd>
            <Side field={byKey.get(change.key)} value={change.from} />
            <span aria-label="became"> → </span>
            <Side field={byKey.get(change.key)} value={change.to} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What is no field is the status. */
function statusName(value: unknown): string {
  const text = textOf(value);
  return Object.entries(statusWords).find(([status]) => status === text)?.[1] ?? text;
}

function Side({ field, value }: { field: Field | undefined; value: unknown }) {
  return field ? <Value field={field} value={value} short /> : <>{statusName(value)}</>;
}
