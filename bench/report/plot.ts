/** Plots as SVG that reads on light and dark pages. */

interface Bar {
  label: string;
  value: number;
  goal?: number | undefined;
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
const short = (value: number) =>
  value >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));

/** Horizontal bars; a goal is a mark across its bar. */
export function bars(values: readonly Bar[], title: string): string {
  const most = Math.max(...values.flatMap(({ value, goal }) => [value, goal ?? 0]), 0) || 1;
  const width = (value: number) => (value / most) * 340;
  const drawn = values.map(({ label, value, goal }, i) => {
    const y = 30 + i * 24;
    const mark =
      goal === undefined
        ? ""
        : `<line x1="${210 + width(goal)}" x2="${210 + width(goal)}" y1="${y - 2}" y2="${y + 18}" stroke="#d33" stroke-width="2"/>`;
    return `<text x="200" y="${y + 12}" text-anchor="end">${escape(label)}</text>
<rect x="210" y="${y}" width="${width(value).toFixed(1)}" height="16" rx="2" fill="#2a78c2"/>${mark}
<text x="${(216 + width(value)).toFixed(1)}" y="${y + 12}">${short(value)}</text>`;
  });
  const heading = `<text x="210" y="18">${escape(title)}</text>`;
  return svg(640, 40 + values.length * 24, title, [heading, ...drawn].join("\n"));
}

interface Line {
  label: string;
  points: { x: number; y: number }[];
}

const colours = ["#2a78c2", "#d9730d", "#3a9a5b", "#9a4fb3", "#c23a5b", "#708090", "#b59a00"];

/** The powers of ten around positive values. */
const range = (values: number[]) => {
  const logs = values.filter((value) => value > 0).map((value) => Math.log10(value));
  return [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))] as const;
};

const steps = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));

/** Lines over logarithmic axes: x are sizes, y what it costs at them. */
export function lines(series: readonly Line[], title: string): string {
  const all = series.flatMap(({ points }) => points);
  const [left, right] = range(all.map(({ x }) => x));
  const [low, high] = range(all.map(({ y }) => y));
  const x = (value: number) => 70 + ((Math.log10(value) - left) / (right - left || 1)) * 330;
  const y = (value: number) =>
    280 - ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low || 1)) * 240;
  const axes = [
    ...steps(left, right).map(
      (value) => `<text x="${x(value)}" y="298" text-anchor="middle">${short(value)}</text>`,
    ),
    ...steps(low, high).map(
      (value) =>
        `<text x="62" y="${y(value) + 4}" text-anchor="end">${short(value)}</text><line x1="70" x2="400" y1="${y(value)}" y2="${y(value)}" stroke="#8884"/>`,
    ),
  ];
  const drawn = series.map(({ label, points }, i) => {
    const colour = colours[i % colours.length];
    const path = points
      .map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`)
      .join(" ");
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>
<rect x="415" y="${38 + i * 18}" width="10" height="10" fill="${colour}"/><text x="430" y="${47 + i * 18}">${escape(label)}</text>`;
  });
  const heading = `<text x="70" y="18">${escape(title)}</text>`;
  return svg(720, 310, title, [heading, ...axes, ...drawn].join("\n"));
}
