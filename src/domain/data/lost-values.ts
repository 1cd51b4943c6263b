import type { FieldSet } from "../definition/field";
import { typesById } from "./search-entries";
import type { Data, Row, Value } from "./values";

/**
 * The data without values of fields that the definition has neither now nor among its retired ones: what was computed
 * before its result became another. Nobody can see them, and nothing brings them back.
 */
export function withoutLost(fields: FieldSet, data: Data): Data {
  const known = typesById(fields);
  const isKnown = ([slot]: [string, Value]) => known.has(Number(slot));
  const whole = (row: Data) => Object.entries(row).every(isKnown);
  const kept = (row: Data) => Object.fromEntries(Object.entries(row).filter(isKnown));
  const isWhole = (value: Value) => rowsOf(value).every(whole);
  if (whole(data) && Object.values(data).every(isWhole)) return data;
  return Object.fromEntries(
    Object.entries(kept(data)).map(([slot, value]) =>
      isWhole(value) ? [slot, value] : [slot, rowsOf(value).map((row) => kept(row) as Row)],
    ),
  );
}

function rowsOf(value: Value): Row[] {
  return Array.isArray(value) ? value.filter((each) => typeof each !== "string") : [];
}
