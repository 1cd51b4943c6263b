import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** A section of the results: its heading and its text. */
export interface Section {
  title: string;
  text: string;
}

const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;

export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]) {
  const rule = header.map((_, i) => (i === 0 ? "---" : "--:"));
  return [line(header), line(rule), ...rows.map((row) => line(row))].join("\n");
}

/** Formats a number with three significant digits and thousands separators. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const rounded = Number(value.toPrecision(3));
  return rounded.toLocaleString("en-US", { maximumFractionDigits: 3 });
}

export const count = (value: number) => value.toLocaleString("en-US");
export const percent = (share: number) => `${Math.round(share * 100)} %`;
export const times = (ratio: number) => `${ratio.toFixed(ratio < 10 ? 1 : 0)} ×`;

/** Replaces sections of the file by title, and appends new ones. Other sections stay unchanged. */
export function writeSections(file: string, header: string, newSections: readonly Section[]): void {
  const oldTexts = existsSync(file) ? readFileSync(file, "utf8").split(/^## /m).slice(1) : [];
  const sections = oldTexts.map((text) => {
    const [title = ""] = text.split("\n", 1);
    return { title, text: text.slice(title.length).trim() };
  });
  for (const section of newSections) {
    const index = sections.findIndex(({ title }) => title === section.title);
    if (index === -1) sections.push(section);
    else sections[index] = section;
  }
  const body = sections.map(({ title, text }) => `## ${title}\n\n${text.trim()}\n`).join("\n");
  writeFileSync(file, `${header.trim()}\n\n${body}`);
}
