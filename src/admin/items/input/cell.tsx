import { WrongWith } from "../../../html/form/field";
import { useField } from "../../../html/form/use-field";
import { textOf } from "../../frame/sent";
import { inputText } from "./written";
import { CellInput, type CellProps } from "./cell-input";

/** The input of one cell, with what was wrong with it. */
export function Cell({ field, name, label, value, isSent, zone, list }: CellProps) {
  const { wired, wrong } = useField({ name });
  const shared = { ...wired, "aria-label": label };
  const text = isSent ? textOf(value) : inputText(field, value, zone);
  return (
    <>
      <CellInput {...{ field, shared, text, value, list }} />
      <WrongWith id={wired.id} wrong={wrong} />
    </>
  );
}
