import { Input, Select, TextArea } from "#html/inputs.tsx";
import { stepOf, zoneSent } from "#admin/items/form/values.ts";
import { labels, type Settings, settingsDocument, settingsOf, mergeSettings } from "./settings-input.ts";
import type { CollectionNow } from "#store/data/collections.ts";
import { may } from "#domain/credential/permissions.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import { Act } from "#html/action-button.tsx";
import { type Frame, frameOf } from "#admin/layout.tsx";
import { CollectionHead, words, documentOf } from "./layout.tsx";
import type { Context } from "hono";
import { putDefinition, readDefinition } from "#actions/definitions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { fieldDocument } from "#domain/definition/document.ts";
import { etagOf } from "#domain/preconditions.ts";
import type { AdminEnv } from "#http/env.ts";
import { answer, answerDone, attempted } from "#admin/page.ts";
import { readSent } from "#admin/form-input.ts";
import { say } from "#admin/preferences.ts";

export function Acceptance({
  input,
  zone,
}: {
  input: (name: keyof typeof labels) => {
    name: string;
    label: string;
    value: string;
    hint?: string;
  };
  zone: string;
}) {
  const own = zone.replaceAll("_", " ");
  const state = [
    { value: "open", label: "Yes" },
    { value: "closed", label: "No" },
  ];
  const moment = (name: "opens_at" | "closes_at") => {
    const given = input(name);
    return { ...given, type: "datetime-local", step: stepOf(given.value) };
  };
  return (
    <>
      <Select {...input("state")} options={state} />
      <div class="grid">
        <Input hint={`${own}; at once where empty`} {...moment("opens_at")} />
        <Input hint={`${own}; never where empty`} {...moment("closes_at")} />
        <Input
          hint="Submissions; without end where empty"
          {...input("max_submissions")}
          inputmode="numeric"
        />
      </div>
    </>
  );
}

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

type C = Context<AdminEnv>;

export async function showSettings(c: C, kind: CollectionKind): Promise<Response> {
  const now = await readDefinition(c.var.action, kind, c.req.param("key") ?? "");
  const frame = frameOf(c);
  const { zone } = frame.reader;
  const settings = settingsOf(kind, now.collection.definition, zone);
  return answer(c, documentOf(now), () => (
    <SettingsPage {...{ frame, now, settings, zone }} seen={settings} />
  ));
}

/** Saves the settings that were changed; those that others changed meanwhile stay as they are. */
export async function saveSettings(c: C, kind: CollectionKind): Promise<Response> {
  const key = c.req.param("key") ?? "";
  const sent = await readSent(c);
  let now = await readDefinition(c.var.action, kind, key);
  return attempted(
    c,
    async () => {
      const { settings, theirs, version } = mergeSettings(kind, now, sent);
      if (Object.keys(theirs).length > 0) throw clash();
      const { definition } = now.collection;
      const zone = zoneSent(sent["$zone"], definition.time_zone);
      const body = {
        ...settingsDocument(kind, settings, definition, zone),
        fields: JSON.parse(JSON.stringify(definition.fields.fields.map(fieldDocument))) as unknown,
      };
      const saved = await putDefinition(c.var.action, kind, key, body, {
        ifMatch: [etagOf(version)],
        ifNoneMatch: null,
      }).catch((error: unknown) => {
        throw error instanceof Problem && error.code === "version_mismatch" ? clash() : error;
      });
      say(c, `${saved.collection.definition.name} is saved.`);
      return answerDone(c, documentOf(saved), `${words[kind].path}/${key}/settings`);
    },
    async (refusal) => {
      now = await readDefinition(c.var.action, kind, key);
      const { definition } = now.collection;
      const zone = zoneSent(sent["$zone"], definition.time_zone);
      const { settings, theirs } = mergeSettings(kind, now, sent);
      const seen = settingsOf(kind, definition, zone);
      const shown = { frame: frameOf(c), now, settings, seen, theirs, zone };
      return <SettingsPage {...shown} problem={named(refusal)} />;
    },
  );
}

const clash = () =>
  problem.conflict(
    "Somebody else changed this in the meantime. Nothing was saved, and what you wrote is still here: look at what they wrote, then save again.",
  );

/** The inputs are named without the member that they stand in. */
function named(refusal: Problem): Problem {
  const errors = refusal.members["errors"] as { field: string }[] | undefined;
  if (!errors) return refusal;
  const renamed = errors.map((error) => ({
    ...error,
    field: error.field.replace(/^acceptance\./, ""),
  }));
  return new Problem(refusal.code, refusal.detail, { ...refusal.members, errors: renamed });
}
