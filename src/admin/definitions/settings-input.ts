import type { CollectionKind, Definition } from "#domain/definition/collection.ts";
import { formatLocalDateTime, formatTimestamp, localToUtc } from "#domain/time.ts";
import { textOf, type FormValues, numberOf, typedNumber } from "#admin/form-input.ts";
import { titleField } from "#domain/definition/field.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import { readSeenDigests } from "#admin/items/form/changes.ts";
import { readTimeZone } from "#admin/items/form/values.ts";

/** The settings of an app or form as the texts of their inputs, by input name. */
export type Settings = Record<string, string>;

/** Converts stored settings to texts for the form. Formats times in `zone`. */
export function toSettings(kind: CollectionKind, definition: Definition, zone: string): Settings {
  const { name, description, time_zone, receipt_prefix, acceptance, retain } = definition;
  const shared = { name, description, time_zone };
  if (kind === "app") {
    return { ...shared, receipt_prefix, title_field: titleField(definition.fields)?.key ?? "" };
  }
  const { state, opens_at, closes_at, max_submissions } = acceptance;
  return {
    ...shared,
    state,
    opens_at: formatInputDateTime(opens_at, zone),
    closes_at: formatInputDateTime(closes_at, zone),
    max_submissions: max_submissions === null ? "" : String(max_submissions),
    retain_days: retain ? String(retain.days) : "",
    retain_only: retain?.only ?? "closed",
  };
}

function formatInputDateTime(time: number | null, zone: string): string {
  if (time === null) return "";
  const localTime = formatLocalDateTime(time, zone).replace(" ", "T");
  const fraction = formatTimestamp(time).slice(19, 23);
  if (fraction !== ".000") return localTime + fraction;
  return localTime.endsWith(":00") ? localTime.slice(0, 16) : localTime;
}

/** Reads the submitted settings. Programs may omit some, which keep their stored values. */
function readSettings(form: FormValues, stored: Settings): Settings {
  return Object.fromEntries(
    Object.entries(stored).map(([name, storedText]) => {
      const value = form[name];
      return [name, value === undefined ? storedText : textOf(value).replaceAll("\r\n", "\n")];
    }),
  );
}

interface MergedSettings {
  settings: Settings;
  /** The stored values of settings that the member and someone else changed to different values. */
  theirs: Settings;
  /** The version that saving requires in If-Match. */
  version: number;
}

export function mergeSettings(
  kind: CollectionKind,
  { collection }: CurrentCollection,
  form: FormValues,
): MergedSettings {
  const { definition, version } = collection;
  const zone = readTimeZone(form["$zone"], definition.time_zone);
  const storedSettings = toSettings(kind, definition, zone);
  const seenDigests = readSeenDigests(form);
  const submitted = readSettings(form, storedSettings);
  // Programs send the version. A form sends the values that it displayed instead.
  if (!seenDigests) return { settings: submitted, theirs: {}, version: numberOf(form["version"]) };
  const isMine = (name: string) => submitted[name] !== seenDigests[name];
  const settings = Object.fromEntries(
    Object.keys(storedSettings).map((name) => [
      name,
      (isMine(name) ? submitted : storedSettings)[name] ?? "",
    ]),
  );
  const conflicts = Object.keys(storedSettings).filter(
    (name) =>
      isMine(name) &&
      storedSettings[name] !== seenDigests[name] &&
      storedSettings[name] !== submitted[name],
  );
  const theirs = Object.fromEntries(conflicts.map((name) => [name, storedSettings[name] ?? ""]));
  return { settings, theirs, version };
}

/** Converts texts of the form to the settings of a definition document. */
export function settingsDocument(
  kind: CollectionKind,
  settings: Settings,
  stored: Definition,
  zone: string,
): Record<string, unknown> {
  const { state, opens_at, closes_at, max_submissions, receipt_prefix, ...others } = settings;
  const { retain_days: days, retain_only: only, title_field, ...shared } = others;
  if (kind === "app") return { ...shared, receipt_prefix, title_field: title_field || null };
  const storedSettings = toSettings(kind, stored, zone);
  const { acceptance } = stored;
  const timestamp = (name: "opens_at" | "closes_at", text = "") => {
    const time = acceptance[name];
    // An unedited time keeps its exact stored value.
    if (text === storedSettings[name]) return time === null ? null : formatTimestamp(time);
    return text === "" ? null : (localToUtc(text, zone) ?? text);
  };
  return {
    ...shared,
    acceptance: {
      state,
      opens_at: timestamp("opens_at", opens_at),
      closes_at: timestamp("closes_at", closes_at),
      max_submissions: max_submissions ? (typedNumber(max_submissions) ?? max_submissions) : null,
    },
    retain: days ? { days: typedNumber(days) ?? days, only } : null,
  };
}
