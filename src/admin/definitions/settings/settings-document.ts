import type { CollectionKind, Definition } from "../../../domain/definition/collection";
import { instantInZone } from "../../../domain/time-zone";
import { stamp } from "../../../domain/time";
import { settingsOf, type Settings } from "./settings-input";

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
