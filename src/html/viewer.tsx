import { createContext, useContext } from "hono/jsx";

/** Where a page is read: dates and numbers are written as people there write them. */
export interface Reader {
  /** IANA time zone. */
  zone: string;
  /** BCP 47, as the browser prefers it. */
  locale: string;
  /** When the page is drawn; milliseconds since 1970. */
  now: number;
}

export const ReaderContext = createContext<Reader>({ zone: "UTC", locale: "en-GB", now: 0 });

export const useReader = (): Reader => useContext(ReaderContext);

/** Formats cost more to make than to use. Few readers differ; what is kept stays bounded all the same. */
const formats = new Map<string, Intl.DateTimeFormat>();
const mostFormats = 200;

function formatOf(
  { zone, locale }: Reader,
  name: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const id = `${name} ${zone} ${locale}`;
  const known = formats.get(id);
  if (known) return known;
  if (formats.size >= mostFormats) formats.clear();
  const made = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  formats.set(id, made);
  return made;
}

/** As in “21 Nov 2026, 13:40”. */
export function showTime(reader: Reader, at: number): string {
  return formatOf(reader, "time", { dateStyle: "medium", timeStyle: "short" }).format(at);
}

/** As in “21 Nov 2026”. */
export function showDay(reader: Reader, at: number): string {
  return formatOf(reader, "day", { dateStyle: "medium" }).format(at);
}

/** As in “13:40:23”. */
export function showClock(reader: Reader, at: number): string {
  return formatOf(reader, "clock", { timeStyle: "medium" }).format(at);
}

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

const counts = new Intl.NumberFormat("en");

/** As in “1,204”: the words around it are English. */
export function showCount(count: number): string {
  return counts.format(count);
}
