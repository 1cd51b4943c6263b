import type { Emptied } from "../definition/pending";
import type { Data, Row } from "./values";

/** The fields among `emptied` that have a value in `data`, other than one that was there `before`. */
export function filledAmong(emptied: readonly Emptied[], data: Data, before: Data = {}): Emptied[] {
  return emptied.filter((field) => {
    const values = valuesIn(field, data);
    return values.length > 0 && JSON.stringify(values) !== JSON.stringify(valuesIn(field, before));
  });
}

function valuesIn({ id, within }: Emptied, data: Data): unknown[] {
  const holders = within === null ? [data] : ((data[String(within)] ?? []) as Row[]);
  return holders.map((each) => each[String(id)]).filter((value) => value !== undefined);
}
