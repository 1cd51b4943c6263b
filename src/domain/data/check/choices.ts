import type { Option } from "../../definition/field";
import { oneOf } from "../../problem/field-errors";
import { storable, storedText } from "../../text";
import { wrongType, wrongFormat, type Fault } from "./fault";
import { stringCheck, type Check } from "./text";

export function selectCheck(options: Option[]): Check {
  const values = options.map((option) => option.value);
  const known = new Set(values);
  return stringCheck((text, fault) => (known.has(text) ? text : notAnOption(values, fault)));
}

function notAnOption(values: string[], fault: Fault): undefined {
  return fault("not_an_option", `Must be one of ${oneOf(values)}.`, {
    options: values.slice(0, 100),
  });
}

export function multiSelectCheck(options: Option[]): Check {
  const values = options.map((option) => option.value);
  const known = new Set(values);
  return (value, fault, { hadBefore }) => {
    if (!Array.isArray(value) || value.some((entry) => typeof entry !== "string")) {
      return wrongType("array of strings", fault);
    }
    const sent = (value as string[]).map(storedText);
    if (!sent.every((entry) => entry !== undefined)) return wrongFormat(storable, fault);
    // Options that are no more can stay where they are.
    if (sent.some((entry) => !known.has(entry) && !hadBefore(entry))) {
      return notAnOption(values, fault);
    }
    if (new Set(sent).size < sent.length) return wrongFormat("an array of distinct values", fault);
    return sent;
  };
}
