/** Draws plots as SVG for light and dark pages. */

interface Bar {
  label: string;
  value: number;
  goal?: number | undefined;
  colour?: string;
}

const style = `<style>
  text { font: 12px system-ui, sans-serif; fill: #555; }
  @media (prefers-color-scheme: dark) { text { fill: #bbb; } }
</style>`;

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const svg = (width: number, height: number, title: string, body: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">
${style}
${body}
</svg>
`;
const shortNumber = (value: number) =>
  value >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));

/** Draws horizontal bars. A line across a bar marks its goal. */
export function bars(values: readonly Bar[], title: string): string {
  const maximum = Math.max(...values.flatMap(({ value, goal }) => [value, goal ?? 0]), 0) || 1;
  const width = (value: number) => (value / maximum) * 340;
  const rows = values.map(({ label, value, goal, colour = "#2a78c2" }, i) => {
    const y = 30 + i * 24;
    const goalMark =
      goal === undefined
        ? ""
        : `<line x1="${210 + width(goal)}" x2="${210 + width(goal)}" y1="${y - 2}" y2="${y + 18}" stroke="#d33" stroke-width="2"/>`;
    return `<text x="200" y="${y + 12}" text-anchor="end">${escape(label)}</text>
<rect x="210" y="${y}" width="${width(value).toFixed(1)}" height="16" rx="2" fill="${colour}"/>${goalMark}
<text x="${(216 + width(value)).toFixed(1)}" y="${y + 12}">${shortNumber(value)}</text>`;
  });
  const heading = `<text x="210" y="18">${escape(title)}</text>`;
  return svg(640, 40 + values.length * 24, title, [heading, ...rows].join("\n"));
}

interface Line {
  label: string;
  points: { x: number; y: number }[];
}

const colours = ["#2a78c2", "#d9730d", "#3a9a5b", "#9a4fb3", "#c23a5b", "#708090", "#b59a00"];

/** Returns the exponents of the powers of ten that enclose the positive values. */
const range = (values: number[]) => {
  const logs = values.filter((value) => value > 0).map((value) => Math.log10(value));
  return [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))] as const;
};

const powersOfTen = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));

/** Draws lines with logarithmic axes. */
export function lines(series: readonly Line[], title: string): string {
  const allPoints = series.flatMap(({ points }) => points);
  const [minX, maxX] = range(allPoints.map(({ x }) => x));
  const [minY, maxY] = range(allPoints.map(({ y }) => y));
  const x = (value: number) => 70 + ((Math.log10(value) - minX) / (maxX - minX || 1)) * 330;
  const y = (value: number) =>
    280 - ((Math.log10(Math.max(value, 10 ** minY)) - minY) / (maxY - minY || 1)) * 240;
  const axes = [
    ...powersOfTen(minX, maxX).map(
      (value) => `<text x="${x(value)}" y="298" text-anchor="middle">${shortNumber(value)}</text>`,
    ),
    ...powersOfTen(minY, maxY).map(
      (value) =>
        `<text x="62" y="${y(value) + 4}" text-anchor="end">${shortNumber(value)}</text><line x1="70" x2="400" y1="${y(value)}" y2="${y(value)}" stroke="#8884"/>`,
    ),
  ];
  const polylines = series.map(({ label, points }, i) => {
    const colour = colours[i % colours.length];
    const path = points
      .map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`)
      .join(" ");
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>
<rect x="415" y="${38 + i * 18}" width="10" height="10" fill="${colour}"/><text x="430" y="${47 + i * 18}">${escape(label)}</text>`;
  });
  const heading = `<text x="70" y="18">${escape(title)}</text>`;
  return svg(720, 310, title, [heading, ...axes, ...polylines].join("\n"));
}
