import { createContext, useContext } from "hono/jsx";
import type { Language } from "#domain/language.ts";
import { lazy } from "#domain/lazy.ts";
import { partTexts } from "./language.ts";

/** The language of a page, and the time zone and locale of its dates and numbers. */
export interface Viewer {
  /** IANA time zone. */
  zone: string;
  language: Language;
  /** The locale of dates and numbers (BCP 47). It fits the language. */
  locale: string;
  /** The time of rendering, in milliseconds since 1970. */
  now: number;
}

export const ViewerContext = createContext<Viewer>({
  zone: "UTC",
  language: "en",
  locale: "en-GB",
  now: 0,
});

export const useViewer = (): Viewer => useContext(ViewerContext);

/** Creating a format costs more than using it, so formats are cached. `maxDateFormats` limits the cache. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();
const maxDateFormats = 200;

function cachedFormat(
  { zone, locale }: Viewer,
  name: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const id = `${name} ${zone} ${locale}`;
  const cached = dateFormats.get(id);
  if (cached) return cached;
  if (dateFormats.size >= maxDateFormats) dateFormats.clear();
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  dateFormats.set(id, format);
  return format;
}

/** Formats like “21 Nov 2026, 13:40”. */
export function formatTime(viewer: Viewer, at: number): string {
  return cachedFormat(viewer, "time", { dateStyle: "medium", timeStyle: "short" }).format(at);
}

/** Formats like “21 Nov 2026”. */
export function formatDay(viewer: Viewer, at: number): string {
  return cachedFormat(viewer, "day", { dateStyle: "medium" }).format(at);
}

/** Formats a month like “2026-11” as “Nov 2026”. */
export function formatMonth(viewer: Viewer, month: string): string {
  const format = cachedFormat({ ...viewer, zone: "UTC" }, "month", {
    year: "numeric",
    month: "short",
  });
  return format.format(Date.parse(`${month}-01T00:00:00Z`));
}

/** Formats like “13:40:23”. */
export function formatClock(viewer: Viewer, at: number): string {
  return cachedFormat(viewer, "clock", { timeStyle: "medium" }).format(at);
}

const relativeUnits: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relativeFormats: Record<Language, () => Intl.RelativeTimeFormat> = {
  en: lazy(() => new Intl.RelativeTimeFormat("en", { numeric: "auto" })),
  ja: lazy(() => new Intl.RelativeTimeFormat("ja", { numeric: "auto" })),
};
/** “Last month” would mean the calendar month, so months and years always use numbers. */
const exactFormats: Record<Language, () => Intl.RelativeTimeFormat> = {
  en: lazy(() => new Intl.RelativeTimeFormat("en")),
  ja: lazy(() => new Intl.RelativeTimeFormat("ja")),
};

/** Formats like “2 minutes ago” and “in 12 months”. */
function formatDistance({ language, now }: Viewer, at: number): string {
  const distance = at - now;
  const unit = relativeUnits.find(([, length]) => Math.abs(distance) >= length);
  if (!unit) return partTexts(language).justNow;
  const [name, length] = unit;
  const formats = name === "month" || name === "year" ? exactFormats : relativeFormats;
  return formats[language]().format(Math.round(distance / length), name);
}

type TimeStyle = "time" | "day" | "recent" | "distance";

/** Formats a time of today with seconds and without the date. */
const formatRecent = (viewer: Viewer, at: number): string =>
  formatDay(viewer, at) === formatDay(viewer, viewer.now)
    ? formatClock(viewer, at)
    : formatTime(viewer, at);

const timeFormatters: Record<TimeStyle, (viewer: Viewer, at: number) => string> = {
  time: formatTime,
  day: formatDay,
  recent: formatRecent,
  distance: formatDistance,
};

/** A time in the viewer's format, or its distance from now. The attributes of the element contain the exact time. */
export function Time({ at, as = "time" }: { at: number; as?: TimeStyle }) {
  const iso = new Date(at).toISOString();
  return (
    <time datetime={iso} title={iso}>
      {timeFormatters[as](useViewer(), at)}
    </time>
  );
}

const numberFormats = new Map<string, Intl.NumberFormat>();
const maxNumberFormats = 200;

function cachedNumberFormat(
  locale: string,
  name: string,
  options: Intl.NumberFormatOptions,
): Intl.NumberFormat {
  const id = `${name} ${locale}`;
  const cached = numberFormats.get(id);
  if (cached) return cached;
  if (numberFormats.size >= maxNumberFormats) numberFormats.clear();
  const format = new Intl.NumberFormat(locale, options);
  numberFormats.set(id, format);
  return format;
}

type HasLocale = Pick<Viewer, "locale">;

/** Formats like “1,204”. */
export function formatCount({ locale }: HasLocale, count: number): string {
  return cachedNumberFormat(locale, "count", { maximumFractionDigits: 1 }).format(count);
}

/** Formats like “10K”, which fits next to an axis. */
export function formatShortCount({ locale }: HasLocale, count: number): string {
  return cachedNumberFormat(locale, "short", { notation: "compact" }).format(count);
}

/** Formats a share like “0.04%”. */
export function formatSmallPercent({ locale }: HasLocale, share: number): string {
  const options = { style: "percent", maximumFractionDigits: 2 } as const;
  return cachedNumberFormat(locale, "smallPercent", options).format(share);
}

/** Formats a share like “98%”. Returns 100% only for the whole. */
export function formatPercent({ locale }: HasLocale, share: number): string {
  const format = cachedNumberFormat(locale, "percent", { style: "percent" });
  return format.format(share < 1 ? Math.floor(share * 100) / 100 : share);
}

/** Formats a number with `decimals`, or with all decimals that it has. */
export function formatDecimal({ locale }: HasLocale, value: number, decimals?: number): string {
  const format = cachedNumberFormat(locale, `decimals ${decimals ?? ""}`, {
    minimumFractionDigits: decimals ?? 0,
    maximumFractionDigits: decimals ?? 15,
  });
  return format.format(value);
}

/** Formats the digits of a number, which may be more than a double can represent, with at least `minDecimals`. */
export function formatDigits({ locale }: HasLocale, digits: string, minDecimals = 0): string {
  const format = cachedNumberFormat(locale, `digits ${minDecimals}`, {
    minimumFractionDigits: minDecimals,
    maximumFractionDigits: 100,
  });
  return format.format(digits as Intl.StringNumericLiteral);
}

/** Formats the text of a number in the locale. Returns other texts unchanged. */
export function formatNumber(viewer: HasLocale, text: string): string {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? formatDecimal(viewer, value) : text;
}

/** A count in the viewer's format. */
export function Count({ of }: { of: number }) {
  return <>{formatCount(useViewer(), of)}</>;
}

/** Formats like “48 KB”, “1.2 MB” and “7.4 GB”, in powers of ten as file managers do. */
export function formatBytes(viewer: HasLocale, bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [unit, length, step] =
    bytes < 1_000_000
      ? (["KB", 1000, 1] as const)
      : bytes < 1_000_000_000
        ? (["MB", 1_000_000, 10] as const)
        : (["GB", 1_000_000_000, 10] as const);
  return `${formatCount(viewer, Math.round((bytes / length) * step) / step)} ${unit}`;
}
