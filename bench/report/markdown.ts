import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** A part of the results: a heading, and what stands below it. */
export interface Section {
  title: string;
  text: string;
}

const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;

export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]) {
  const rule = head.map((_, i) => (i === 0 ? "---" : "--:"));
  return [line(head), line(rule), ...rows.map((row) => line(row))].join("\n");
}

/** A number to three significant digits, with thousands set apart. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const rounded = Number(value.toPrecision(3));
  return rounded.toLocaleString("en-US", { maximumFractionDigits: 3 });
}

export const count = (value: number) => value.toLocaleString("en-US");
export const percent = (share: number) => `${Math.round(share * 100)} %`;
export const times = (ratio: number) => `${ratio.toFixed(ratio < 10 ? 1 : 0)} ×`;

/** Puts sections into the file: in the place of those with their titles, or at its end. The rest stays. */
export function writeSections(file: string, head: string, sections: readonly Section[]): void {
  const before = existsSync(file) ? readFileSync(file, "utf8").split(/^## /m).slice(1) : [];
  const kept = before.map((text) => {
    const [title = ""] = text.split("\n", 1);
    return { title, text: text.slice(title.length).trim() };
  });
  for (const section of sections) {
    const place = kept.findIndex(({ title }) => title === section.title);
    if (place === -1) kept.push(section);
    else kept[place] = section;
  }
  const body = kept.map(({ title, text }) => `## ${title}\n\n${text.trim()}\n`).join("\n");
  writeFileSync(file, `${head.trim()}\n\n${body}`);
}
