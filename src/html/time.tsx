import { useReader, showTime, showDay, showClock, type Reader } from "./reader";

const spans: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** As in “2 minutes ago” and “in 12 months”. */
function showDistance({ now }: Reader, at: number): string {
  const distance = at - now;
  const span = spans.find(([, length]) => Math.abs(distance) >= length);
  return span ? relative.format(Math.round(distance / span[1]), span[0]) : "just now";
}

type Shape = "time" | "day" | "clock" | "distance";

const shown: Record<Shape, (reader: Reader, at: number) => string> = {
  time: showTime,
  day: showDay,
  clock: showClock,
  distance: showDistance,
};

/** A time as the reader writes it, or how far it is; the exact one is in the element. */
export function Time({ at, as = "time" }: { at: number; as?: Shape }) {
  const iso = new Date(at).toISOString();
  return (
    <time datetime={iso} title={iso}>
      {shown[as](useReader(), at)}
    </time>
  );
}
