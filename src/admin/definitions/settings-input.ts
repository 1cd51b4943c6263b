import type { CollectionKind, Definition } from "#domain/definition/collection.ts";
import { localDateTime, stamp, instantInZone } from "#domain/time.ts";
import { textOf, type Sent, numberOf } from "#admin/form-input.ts";
import type { CollectionNow } from "#store/data/collections.ts";
import { seenSent } from "#admin/items/form/changes.ts";
import { zoneSent } from "#admin/items/form/values.ts";

export const labels = {
  name: "Name",
  description: "Description",
  time_zone: "Time zone",
  receipt_prefix: "Prefix of receipt numbers",
  state: "Takes submissions",
  opens_at: "Opens",
  closes_at: "Closes",
  max_submissions: "At most",
} as const;

/** The settings of an app or form as their form has them: a text each. */
export type Settings = Record<string, string>;

/** What is stored, as the form shows it first; moments as clocks in `zone` show them. */
export function settingsOf(kind: CollectionKind, definition: Definition, zone: string): Settings {
  const { name, description, time_zone, receipt_prefix, acceptance } = definition;
  const shared = { name, description, time_zone };
  if (kind === "app") return { ...shared, receipt_prefix };
  const { state, opens_at, closes_at, max_submissions } = acceptance;
  return {
    ...shared,
    state,
    opens_at: momentText(opens_at, zone),
    closes_at: momentText(closes_at, zone),
    max_submissions: max_submissions === null ? "" : String(max_submissions),
  };
}

function momentText(at: number | null, zone: string): string {
  if (at === null) return "";
  const local = localDateTime(at, zone).replace(" ", "T");
  const fraction = stamp(at).slice(19, 23);
  if (fraction !== ".000") return local + fraction;
  return local.endsWith(":00") ? local.slice(0, 16) : local;
}

/** What was sent, on what is stored: a program may leave settings out. */
export function settingsSent(sent: Sent, stored: Settings): Settings {
  return Object.fromEntries(
    Object.entries(stored).map(([name, before]) => {
      const value = sent[name];
      return [name, value === undefined ? before : textOf(value).replaceAll("\r\n", "\n")];
    }),
  );
}

interface MergedSettings {
  settings: Settings;
  /** What others made of settings that were changed here too. */
  theirs: Settings;
  /** The version that this can be saved onto. */
  version: number;
}

export function mergeSettings(
  kind: CollectionKind,
  { collection }: CollectionNow,
  sent: Sent,
): MergedSettings {
  const { definition, version } = collection;
  const zone = zoneSent(sent["$zone"], definition.time_zone);
  const stored = settingsOf(kind, definition, zone);
  const seen = seenSent(sent);
  const own = settingsSent(sent, stored);
  // A program names the version; a form brings what it was drawn from.
  if (!seen) return { settings: own, theirs: {}, version: numberOf(sent["version"]) };
  const isMine = (name: string) => own[name] !== seen[name];
  const settings = Object.fromEntries(
    Object.keys(stored).map((name) => [name, (isMine(name) ? own : stored)[name] ?? ""]),
  );
  const both = Object.keys(stored).filter(
    (name) => isMine(name) && stored[name] !== seen[name] && stored[name] !== own[name],
  );
  const theirs = Object.fromEntries(both.map((name) => [name, stored[name] ?? ""]));
  return { settings, theirs, version };
}

/** The settings as a definition document has them. */
export function settingsDocument(
  kind: CollectionKind,
  settings: Settings,
  stored: Definition,
  zone: string,
): Record<string, unknown> {
  const { state, opens_at, closes_at, max_submissions, receipt_prefix, ...shared } = settings;
  if (kind === "app") return { ...shared, receipt_prefix };
  const before = settingsOf(kind, stored, zone);
  const { acceptance } = stored;
  const moment = (name: "opens_at" | "closes_at", text = "") => {
    const at = acceptance[name];
    // Untouched, it stays to the millisecond.
    if (text === before[name]) return at === null ? null : stamp(at);
    return text === "" ? null : (instantInZone(text, zone) ?? text);
  };
  return {
    ...shared,
    acceptance: {
      state,
      opens_at: moment("opens_at", opens_at),
      closes_at: moment("closes_at", closes_at),
      max_submissions: max_submissions ? Number(max_submissions) : null,
    },
  };
}
