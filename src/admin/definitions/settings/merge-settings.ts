import type { CollectionKind } from "../../../domain/definition/collection";
import { isObject } from "../../../domain/json";
import type { CollectionNow } from "../../../store/definitions/collection-now";
import { numberOf, textOf, type Sent } from "../../frame/sent";
import { zoneSent } from "../../items/input/written";
import { settingsOf, settingsSent, type Settings } from "./settings-input";

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

function seenSent(sent: Sent): Settings | undefined {
  try {
    const parsed: unknown = JSON.parse(textOf(sent["$seen"]));
    if (!isObject(parsed)) return undefined;
    return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, textOf(value)]));
  } catch {
    return undefined;
  }
}
