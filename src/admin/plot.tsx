interface Bar {
  label: string;
  value: number;
  /** How much of the value is drawn in the other colour. */
  bad: number;
}

const width = 600;
const height = 140;
const ground = 120;

/** Bars over days, drawn by the server. The figures stand in words for who cannot see them. */
export function Plot({ title, note, bars }: { title: string; note: string; bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const step = width / bars.length;
  const tall = (value: number) => (value / most) * (ground - 20);
  const [first, last] = [bars[0]?.label ?? "", bars.at(-1)?.label ?? ""];
  return (
    <figure class="card">
      <h3>{title}</h3>
      <svg
        class="plot"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${title}: ${total} from ${first} to ${last}, at most ${most} a day`}
      >
        <line x1={0} x2={width} y1={ground} y2={ground} />
        {bars.map(({ label, value, bad }, i) => (
          <g>
            <title>{`${label}: ${value}`}</title>
            <rect x={i * step + 2} width={step - 4} y={ground - tall(value)} height={tall(value)} />
            <rect
              class="bad"
              x={i * step + 2}
              width={step - 4}
              y={ground - tall(bad)}
              height={tall(bad)}
            />
          </g>
        ))}
        <text x={0} y={height - 4}>
          {first}
        </text>
        <text x={width} y={height - 4} text-anchor="end">
          {last}
        </text>
        <text x={0} y={12}>
          {most}
        </text>
      </svg>
      <figcaption>
        {total} in all, {note}
      </figcaption>
    </figure>
  );
}
