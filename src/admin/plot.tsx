import { useText } from "./language/index.tsx";
import { formatCount, formatShortCount, useViewer } from "#html/viewer.tsx";

interface Bar {
  label: string;
  value: number;
  /** The rejected part of `value`. */
  bad: number;
}

const height = 156;
const topY = 20;
const baselineY = 132;
const scaleWidth = 44;

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
      <div
        class="chart"
        role="img"
        aria-label={problems.at(title, text.description(totals, first, last, maximum))}
      >
        <Scale scale={scale} />
        <svg class="plot" width="100%" height={height} aria-hidden="true">
          {linesOf(scale).map((value) => (
            <line x1="0" x2="100%" y1={yOf(value, scale)} y2={yOf(value, scale)} />
          ))}
          <Bars bars={bars} scale={scale} />
          <Labels bars={bars} />
        </svg>
      </div>
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

const linesOf = (scale: number) => (scale > 1 ? [0, scale / 2, scale] : [0, scale]);
const round = (value: number) => Math.round(value * 10) / 10;
const yOf = (value: number, scale: number) =>
  round(baselineY - (value / scale) * (baselineY - topY));

/** The vertical axis. It is a separate drawing, so that the drawing with the bars can be as wide as its card. */
function Scale({ scale }: { scale: number }) {
  const viewer = useViewer();
  return (
    <svg class="plot" width={scaleWidth} height={height} aria-hidden="true">
      {linesOf(scale)
        .filter(Number.isInteger)
        .map((value) => (
          <text x={scaleWidth - 6} y={yOf(value, scale) + 4} text-anchor="end">
            {formatShortCount(viewer, value)}
          </text>
        ))}
    </svg>
  );
}

const maxLabels = 5;
/** The maximum number of bars with values. More bars would leave no room for them. */
const maxValues = 12;
/** The maximum number of bars with values on narrow cards. */
const maxNarrowValues = 6;

/** Up to five labels below the bars. Narrow cards hide every second one. */
function Labels({ bars }: { bars: readonly Bar[] }) {
  const count = Math.min(maxLabels, bars.length);
  const step = 100 / bars.length;
  // A label below a thin bar at an edge would extend beyond the drawing.
  const isDense = bars.length > maxNarrowValues;
  return (
    <>
      {Array.from({ length: count }, (_, i) => {
        const index = count === 1 ? 0 : Math.round((i * (bars.length - 1)) / (count - 1));
        const isFirst = i === 0 && isDense;
        const isLast = i === count - 1 && isDense;
        const x = isFirst ? 0 : isLast ? 100 : round((index + 0.5) * step);
        return (
          <text
            class={count > 4 && i % 2 === 1 ? "between" : undefined}
            x={`${x}%`}
            y={height - 4}
            text-anchor={isFirst ? "start" : isLast ? "end" : "middle"}
          >
            {bars[index]?.label}
          </text>
        );
      })}
    </>
  );
}

function Bars({ bars, scale }: { bars: readonly Bar[]; scale: number }) {
  const { frame, problems } = useText();
  const text = frame.chart;
  const viewer = useViewer();
  const step = 100 / bars.length;
  const barHeight = (value: number) => round(baselineY - yOf(value, scale));
  const x = (i: number, share: number) => `${round((i + share) * step)}%`;
  const rect = (i: number, value: number, tone?: "bad") => (
    <rect
      class={tone}
      x={x(i, 0.12)}
      width={`${round(step * 0.76)}%`}
      y={yOf(value, scale)}
      height={barHeight(value)}
    />
  );
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
            {rect(i, value)}
            {bad > 0 ? rect(i, bad, "bad") : null}
            {bars.length > maxValues ? null : (
              <text
                class={bars.length > maxNarrowValues ? "extra" : undefined}
                x={x(i, 0.5)}
                y={yOf(value, scale) - 5}
                text-anchor="middle"
              >
                {formatShortCount(viewer, value)}
              </text>
            )}
          </g>
        ),
      )}
    </>
  );
}
