import type { CollectionKind } from "../../../domain/definition/collection";
import type { CollectionNow } from "../../../store/definitions/collection-now";
import { numberOf, type Sent } from "../../frame/sent";
import { seenSent } from "../../items/input/changes";
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
