import { useText } from "./language/index.tsx";
import { formatCount, formatShortCount, useViewer } from "#html/viewer.tsx";

interface Bar {
  label: string;
  value: number;
  /** The rejected part of `value`. */
  bad: number;
}

const width = 420;
const height = 132;
const topY = 12;
const baselineY = 110;
const leftX = 38;

/** Rounds up to a number that is easy to read: 1, 2, 5, 10, 20, 50 … */
function roundUpToScale(maximum: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, maximum)));
  return [1, 2, 5, 10].map((step) => step * size).find((step) => step >= maximum) ?? maximum;
}

/** A bar chart over time, rendered by the server. Screen readers get its figures as a label. */
export function Plot({
  title,
  describeTotal,
  bars,
}: {
  title: string;
  /** Texts like “1,204 requests”. */
  describeTotal: (total: number) => string;
  bars: readonly Bar[];
}) {
  const { frame, problems } = useText();
  const text = frame.chart;
  const maximum = Math.max(1, ...bars.map(({ value }) => value));
  const scale = roundUpToScale(maximum);
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const refused = bars.reduce((sum, { bad }) => sum + bad, 0);
  const [first, last] = [bars[0]?.label ?? "", bars.at(-1)?.label ?? ""];
  const totals = `${describeTotal(total)}${refused > 0 ? text.rejected(refused) : ""}`;
  if (total === 0) {
    return (
      <figure class="card">
        <h2>{title}</h2>
        <p class="muted">{text.none}</p>
      </figure>
    );
  }
  return (
    <figure class="card">
      <h2>{text.title(title, totals)}</h2>
      <svg
        class="plot"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={problems.at(title, text.description(totals, first, last, maximum))}
      >
        <Axes scale={scale} first={first} last={last} />
        <Bars bars={bars} scale={scale} />
      </svg>
      {refused > 0 ? (
        <figcaption>
          <span class="key"></span>
          {text.accepted} <span class="key bad"></span>
          {text.rejectedKey}
        </figcaption>
      ) : null}
    </figure>
  );
}

function Axes({ scale, first, last }: { scale: number; first: string; last: string }) {
  const viewer = useViewer();
  const lines = scale > 1 ? [0, scale / 2, scale] : [0, scale];
  return (
    <>
      {lines.map((value) => {
        const y = baselineY - (value / scale) * (baselineY - topY);
        return (
          <>
            <line x1={leftX} x2={width} y1={y} y2={y} />
            <text x={leftX - 6} y={y + 4} text-anchor="end">
              {Number.isInteger(value) ? formatShortCount(viewer, value) : ""}
            </text>
          </>
        );
      })}
      <text x={leftX} y={height - 4}>
        {first}
      </text>
      <text x={width} y={height - 4} text-anchor="end">
        {last}
      </text>
    </>
  );
}

function Bars({ bars, scale }: { bars: readonly Bar[]; scale: number }) {
  const { frame, problems } = useText();
  const text = frame.chart;
  const viewer = useViewer();
  const step = (width - leftX) / bars.length;
  const barHeight = (value: number) => Math.round((value / scale) * (baselineY - topY) * 10) / 10;
  const barX = (i: number) => Math.round((leftX + i * step + step * 0.12) * 10) / 10;
  const barWidth = Math.round(step * 0.76 * 10) / 10;
  return (
    <>
      {bars.map(({ label, value, bad }, i) =>
        value === 0 ? null : (
          <g>
            <title>
              {problems.at(
                label,
                `${formatCount(viewer, value)}${bad > 0 ? text.rejected(bad) : ""}`,
              )}
            </title>
            <rect
              x={barX(i)}
              width={barWidth}
              y={baselineY - barHeight(value)}
              height={barHeight(value)}
            />
            {bad > 0 ? (
              <rect
                class="bad"
                x={barX(i)}
                width={barWidth}
                y={baselineY - barHeight(bad)}
                height={barHeight(bad)}
              />
            ) : null}
          </g>
        ),
      )}
    </>
  );
}
