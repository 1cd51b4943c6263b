import type { Context } from "hono";
import { putDefinition, readDefinition } from "../../../actions/definitions/definitions";
import type { CollectionKind } from "../../../domain/definition/collection";
import { fieldDocument } from "../../../domain/definition/field-document";
import { etagOf } from "../../../domain/etag";
import { Problem, problem } from "../../../domain/problem/problem";
import type { AdminEnv } from "../../../env";
import { answer, answerDone } from "../../frame/answers";
import { attempted } from "../../frame/attempted";
import { frameOf } from "../../frame/frame";
import { readSent } from "../../frame/negotiate";
import { say } from "../../frame/said";
import { zoneSent } from "../../items/input/written";
import { documentOf } from "../document-of";
import { settingsDocument } from "./settings-document";
import { settingsOf } from "./settings-input";
import { SettingsPage } from "./settings-page";
import { words } from "../words";
import { mergeSettings } from "./merge-settings";

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
