import { showCount } from "#html/viewer.tsx";

interface Bar {
  label: string;
  value: number;
  /** How much of the value was refused. */
  bad: number;
}

const width = 420;
const height = 132;
const top = 12;
const ground = 110;
const left = 38;

/** The next number above that is read at a glance: 1, 2, 5, 10, 20, 50 … */
function roundAbove(most: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 5, 10].map((step) => step * size).find((step) => step >= most) ?? most;
}

/** Bars over time with their axes, drawn by the server. The figures stand in words for who cannot see them. */
export function Plot({
  title,
  noun,
  bars,
}: {
  title: string;
  /** What is counted, one and many: “call”, “calls”. */
  noun: readonly [one: string, many: string];
  bars: readonly Bar[];
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const scale = roundAbove(most);
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const refused = bars.reduce((sum, { bad }) => sum + bad, 0);
  const [first, last] = [bars[0]?.label ?? "", bars.at(-1)?.label ?? ""];
  const told = `${showCount(total)} ${noun[total === 1 ? 0 : 1]}${refused > 0 ? `, ${showCount(refused)} refused` : ""}`;
  return (
    <figure class="card">
      <h2>{`${title} · ${told}`}</h2>
      <svg
        class="plot"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${title}: ${told}, from ${first} to ${last}, at most ${most} at once`}
      >
        <Axes scale={scale} first={first} last={last} />
        <Bars bars={bars} scale={scale} />
      </svg>
      {refused > 0 ? (
        <figcaption>
          <span class="key"></span>answered <span class="key bad"></span>refused
        </figcaption>
      ) : null}
    </figure>
  );
}

function Axes({ scale, first, last }: { scale: number; first: string; last: string }) {
  const lines = scale > 1 ? [0, scale / 2, scale] : [0, scale];
  return (
    <>
      {lines.map((value) => {
        const y = ground - (value / scale) * (ground - top);
        return (
          <>
            <line x1={left} x2={width} y1={y} y2={y} />
            <text x={left - 6} y={y + 4} text-anchor="end">
              {Number.isInteger(value) ? showCount(value) : ""}
            </text>
          </>
        );
      })}
      <text x={left} y={height - 4}>
        {first}
      </text>
      <text x={width} y={height - 4} text-anchor="end">
        {last}
      </text>
    </>
  );
}

function Bars({ bars, scale }: { bars: readonly Bar[]; scale: number }) {
  const step = (width - left) / bars.length;
  const tall = (value: number) => Math.round((value / scale) * (ground - top) * 10) / 10;
  const place = (i: number) => Math.round((left + i * step + step * 0.12) * 10) / 10;
  const wide = Math.round(step * 0.76 * 10) / 10;
  return (
    <>
      {bars.map(({ label, value, bad }, i) =>
        value === 0 ? null : (
          <g>
            <title>{`${label}: ${value}${bad > 0 ? `, ${bad} refused` : ""}`}</title>
            <rect x={place(i)} width={wide} y={ground - tall(value)} height={tall(value)} />
            {bad > 0 ? (
              <rect
                class="bad"
                x={place(i)}
                width={wide}
                y={ground - tall(bad)}
                height={tall(bad)}
              />
            ) : null}
          </g>
        ),
      )}
    </>
  );
}
