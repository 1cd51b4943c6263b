import type { Child } from "hono/jsx";
import type { Field, RowField } from "../../../domain/definition/field";
import { Choices } from "../../../html/form/choices";
import { Field as Box } from "../../../html/form/field";
import { Select } from "../../../html/form/select";
import { TextArea } from "../../../html/form/text-area";
import { useField } from "../../../html/form/use-field";
import { textOf } from "../../frame/sent";
import { lineAttributes, yesOrNo } from "./line";
import { inputText, optionsFor, textsOf } from "./written";

interface One {
  field: RowField;
  value: unknown;
  isSent: boolean;
  zone: string;
  required: boolean;
}

export function OneInput({ field, value, isSent, zone, required }: One) {
  const { key: name } = field;
  const label = field.required ? (
    <>
      {field.label} <span class="needed">required</span>
    </>
  ) : (
    field.label
  );
  const text = isSent ? textOf(value) : inputText(field, value, zone);
  switch (field.type) {
    case "multi_select": {
      const chosen = textsOf(value);
      const options = optionsFor(field.options, chosen);
      return <Choices name={name} label={label} options={options} chosen={chosen} many />;
    }
    case "select": {
      const options = [{ value: "", label: "" }, ...optionsFor(field.options, [text])];
      return <Select {...{ name, label, options, value: text, required }} />;
    }
    case "boolean":
      return <Select {...{ name, label, options: yesOrNo, value: text, required }} />;
    case "multiline_text":
      // Browsers leave out a line break that stands first.
      return <TextArea {...{ name, label, value: `\n${text}`, required }} wide />;
    case "text":
    case "number":
    case "date":
    case "datetime":
    case "email":
    case "url":
    case "phone":
    case "computed":
      return <Line {...{ field, label, text, zone, required }} />;
  }
}

function Line({
  field,
  label,
  text,
  zone,
  required,
}: {
  field: Field;
  label: Child;
  text: string;
  zone: string;
  required: boolean;
}) {
  const hint = field.type === "datetime" ? zone.replaceAll("_", " ") : undefined;
  const tied = useField({ name: field.key, hint });
  return (
    <Box {...tied} label={label} hint={hint}>
      <input {...tied.wired} {...lineAttributes(field, text)} value={text} required={required} />
    </Box>
  );
}
