import type { Option } from "../../../domain/definition/field";

const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("|", "\\|");

/** One option a line: its label, and behind a bar the value that is stored, where it is another. */
export function optionLines(options: readonly Option[]): string {
  return options
    .map(({ value, label }) =>
      label === value ? escaped(label) : `${escaped(label)} | ${escaped(value)}`,
    )
    .join("\n");
}

export function readOptions(text: string): Option[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const [label = "", value] = line
        .split(/(?<!(?<!\\)(?:\\\\)*\\)\|/)
        .map((part) => part.trim().replaceAll(/\\([\\|])/g, "$1"));
      return { value: value || label, label };
    });
}
