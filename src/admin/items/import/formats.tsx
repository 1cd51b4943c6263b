import { Select } from "#html/inputs.tsx";
import { formatChoices, type FileFormats } from "./file.ts";

const options = (choices: readonly (readonly [string, string])[]) =>
  choices.map(([value, label]) => ({ value, label }));

/** Chooses how the file writes values. The first rows show the result. */
export function FormatInputs({ formats }: { formats: FileFormats }) {
  const { delimiter, numbers, dates } = formatChoices;
  return (
    <div class="grid">
      <Select
        name="delimiter"
        label="Delimiter"
        options={options(delimiter)}
        value={formats.delimiter}
      />
      <Select name="numbers" label="Numbers" options={options(numbers)} value={formats.numbers} />
      <Select name="dates" label="Dates" options={options(dates)} value={formats.dates} />
    </div>
  );
}
