import type { CollectionNow } from "../../../store/definitions/collection-now";
import { may } from "../../../domain/credential/roles";
import type { Problem } from "../../../domain/problem/problem";
import { Act } from "../../../html/act";
import { Input } from "../../../html/form/input";
import { TextArea } from "../../../html/form/text-area";
import type { Frame } from "../../frame/frame";
import { CollectionHead } from "../head";
import type { Settings } from "./settings-input";
import { words } from "../words";
import { labels } from "./labels";
import { Acceptance } from "./acceptance";

interface Shown {
  frame: Frame;
  now: CollectionNow;
  settings: Settings;
  /** As they were when the form was drawn. */
  seen: Settings;
  /** What others made of settings that were changed here too. */
  theirs?: Settings;
  zone: string;
  problem?: Problem | undefined;
}

/** What is said of an app or form besides its fields. */
export function SettingsPage({ frame, now, settings, seen, theirs = {}, zone, problem }: Shown) {
  const { collection, live } = now;
  const { kind, key, version } = collection;
  const base = `${words[kind].path}/${key}`;
  const named = Object.fromEntries(
    Object.entries(labels).flatMap(([name, label]) => [
      [name, label],
      [`acceptance.${name}`, label],
    ]),
  );
  const input = (name: keyof typeof labels) => {
    const stored = theirs[name];
    const hint =
      stored === undefined ? undefined : `Stored now, by somebody else: ${stored || "nothing"}`;
    return { name, label: labels[name], value: settings[name] ?? "", ...(hint ? { hint } : {}) };
  };
  return (
    <CollectionHead {...{ frame, collection, live, problem }} labels={named} tab="settings">
      <form method="post" action={`${base}/settings`} class="inputs">
        <input type="hidden" name="version" value={String(version)} />
        <input type="hidden" name="$seen" value={JSON.stringify(seen)} />
        <input type="hidden" name="$zone" value={zone} />
        <Input {...input("name")} required maxlength={200} />
        <TextArea {...input("description")} value={`\n${settings["description"] ?? ""}`} />
        <Input {...input("time_zone")} hint="Where its days begin, like Europe/Berlin" required />
        {kind === "app" ? (
          <Input {...input("receipt_prefix")} hint="As in ORD-000042" maxlength={20} />
        ) : (
          <Acceptance input={input} zone={zone} />
        )}
        <p class="actions">
          <button type="submit">Save changes</button>
        </p>
      </form>
      {may(frame.member.role, "owners") ? (
        <section>
          <h2>Search index</h2>
          <p class="muted">
            Looks through all {words[kind].items} for search entries that are missing or wrong, and
            mends them.
          </p>
          <Act action={`${base}/check-index`} name="Check the search index" quiet />
        </section>
      ) : null}
    </CollectionHead>
  );
}
