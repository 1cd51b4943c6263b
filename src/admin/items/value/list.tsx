import type { Field } from "../../../domain/definition/field";
import { Badge } from "../../../html/parts/badge";
import { textOf } from "../../frame/sent";
import { None } from "./none";
import { optionLabel } from "./option-label";

interface Shown {
  field: Field;
  values: readonly unknown[];
  short: boolean | undefined;
}

export function List({ field, values, short }: Shown) {
  if (values.length === 0) return <None />;
  if (field.type === "line_items") {
    return (
      <>
        {values.length} {values.length === 1 ? "row" : "rows"}
      </>
    );
  }
  if (short) return <>{values.map((value) => optionLabel(field, textOf(value))).join(", ")}</>;
  return (
    <>
      {values.map((value, index) => [
        index > 0 ? " " : "",
        <Badge>{optionLabel(field, textOf(value))}</Badge>,
      ])}
    </>
  );
}
