import type { Field } from "../../../domain/definition/field";

export const yesOrNo = [
  { value: "", label: "" },
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

const attributes: Partial<Record<Field["type"], Record<string, string>>> = {
  number: { type: "number", step: "any" },
  date: { type: "date" },
  email: { type: "text", inputmode: "email", autocomplete: "off" },
  url: { type: "text", inputmode: "url" },
  phone: { type: "text", inputmode: "tel", autocomplete: "off" },
};

/** The attributes of an input of one line: what is right is for the server to judge, whose rules are the API's. */
export function lineAttributes(field: Field, text: string): Record<string, string> {
  if (field.type === "datetime") return { type: "datetime-local", step: stepOf(text) };
  return attributes[field.type] ?? { type: "text" };
}

/** As fine as what stands there: a browser refuses a value between its steps. */
export function stepOf(text: string): string {
  if (text.includes(".")) return "0.001";
  return text.length > 16 ? "1" : "60";
}
