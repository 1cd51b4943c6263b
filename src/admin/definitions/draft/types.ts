import type { Field } from "../../../domain/definition/field";

export type FieldType = Field["type"];

/** The types in words, in the order in which they are offered. */
export const typeWords: Record<FieldType, string> = {
  text: "Text",
  multiline_text: "Long text",
  number: "Number",
  boolean: "Yes or no",
  date: "Date",
  datetime: "Date and time",
  email: "E-mail",
  url: "Web address",
  phone: "Phone",
  select: "Single choice",
  multi_select: "Multiple choice",
  line_items: "Line items",
  computed: "Calculated",
};

export const fieldTypes = Object.keys(typeWords) as FieldType[];

export const isFieldType = (text: string): text is FieldType => Object.hasOwn(typeWords, text);

export const results = ["number", "text", "boolean", "date", "datetime"] as const;
