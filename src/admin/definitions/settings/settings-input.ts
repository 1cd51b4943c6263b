import type { CollectionKind, Definition } from "../../../domain/definition/collection";
import { localDateTime } from "../../../domain/time-zone";
import { stamp } from "../../../domain/time";
import { textOf, type Sent } from "../../frame/sent";

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
