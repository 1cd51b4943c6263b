import type { Breakdown } from "#actions/summarize-items.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { Table } from "#html/parts.tsx";
import { Count } from "#html/viewer.tsx";
import { optionLabel } from "./value.tsx";

const barWidth = 120;
const barHeight = 10;

/** A table with a row and a bar for each value. It also contains the figures of the bars. */
export function BreakdownTable({
  breakdown: { field, values, others },
  total,
  Items,
  counted,
}: {
  breakdown: Breakdown;
  total: number;
  Items: string;
  /** The total in words. */
  counted: string;
}) {
  const text = useText();
  const name = field ? shorten(field.label) : text.terms.properties.status;
  const rows = [
    ...values.map(({ value, items }) => ({ label: labelOf(field, value, text), items })),
    ...(others > 0 ? [{ label: text.summary.otherValues, items: others }] : []),
  ];
  return (
    <section>
      <h2>
        <bdi>{name}</bdi>
      </h2>
      {rows.length === 1 ? (
        <p>
          {values[0]?.value === null
            ? text.summary.noValues(total, counted)
            : text.summary.onlyValue(total, counted, rows[0]?.label ?? "")}
        </p>
      ) : (
        <Table
          caption={text.summary.byValue(Items, name)}
          columns={[name, { name: Items, number: true }]}
        >
          {rows.map(({ label, items }) => (
            <tr>
              <td>
                <bdi>{label}</bdi>
                <svg
                  class="plot share"
                  viewBox={`0 0 ${barWidth} ${barHeight}`}
                  preserveAspectRatio="none"
                  aria-hidden="true"
                >
                  <rect
                    width={Math.round((items / total) * barWidth * 10) / 10}
                    height={barHeight}
                  />
                </svg>
              </td>
              <td class="number">
                <Count of={items} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

const maxLabelLength = 60;

export const shorten = (label: string): string => {
  const characters = Array.from(label);
  return characters.length > maxLabelLength
    ? `${characters.slice(0, maxLabelLength).join("")}…`
    : label;
};

function labelOf(
  field: Breakdown["field"],
  value: string | null,
  { summary, terms }: Catalogue,
): string {
  if (value === null) return summary.noValue;
  const { statuses } = terms;
  if (!field) return Object.entries(statuses).find(([status]) => status === value)?.[1] ?? value;
  return shorten(optionLabel(field, value));
}
