import { Input, Select, TextArea } from "#html/inputs.tsx";
import { timeAttributes, readTimeZone } from "#admin/items/form/values.ts";
import { type Settings, settingsDocument, toSettings, mergeSettings } from "./settings-input.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import { type Role, roleAllows } from "#domain/credential/permissions.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import { Action } from "#html/action-button.tsx";
import { zoneOptions } from "#admin/time-zones.ts";
import type { PageContext } from "#admin/layout.tsx";
import { CollectionLayout, collectionPath, definitionDocument } from "./layout.tsx";
import type { ActionContext } from "#actions/context.ts";
import { checkIndex } from "#actions/backfill.ts";
import { getCollection } from "#actions/visible.ts";
import { putDefinition, getDefinition } from "#actions/definitions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { canBeTitle } from "#domain/definition/title.ts";
import { fieldDocument } from "#domain/definition/document.ts";
import { etagOf } from "#domain/preconditions.ts";
import { action, page } from "#admin/page.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { readForm } from "#admin/form-input.ts";

type SettingsText = Catalogue["definitionSettings"];

const titleOptions = (fields: readonly Field[]) => [
  { value: "", label: "" },
  ...fields.filter(canBeTitle).map(({ key, label }) => ({ value: key, label })),
];

function AcceptanceInputs({
  input,
  zone,
}: {
  input: (name: keyof SettingsText["labels"]) => {
    name: string;
    label: string;
    value: string;
    hint?: string;
  };
  zone: string;
}) {
  const zoneName = zone.replaceAll("_", " ");
  const { hints, states } = useText().definitionSettings;
  const stateOptions = [
    { value: "open", label: states.open },
    { value: "closed", label: states.closed },
  ];
  const timeProps = (name: "opens_at" | "closes_at") => {
    const props = input(name);
    return { ...props, ...timeAttributes(props.value) };
  };
  return (
    <>
      <Select {...input("state")} options={stateOptions} />
      <div class="grid">
        <Input hint={hints.opens_at(zoneName)} {...timeProps("opens_at")} />
        <Input hint={hints.closes_at(zoneName)} {...timeProps("closes_at")} />
        <Input hint={hints.max_submissions} {...input("max_submissions")} inputmode="numeric" />
      </div>
    </>
  );
}

function RetentionInputs({ input }: Pick<Parameters<typeof AcceptanceInputs>[0], "input">) {
  const { hints, retained } = useText().definitionSettings;
  const onlyOptions = [
    { value: "closed", label: retained.closed },
    { value: "all", label: retained.all },
  ];
  return (
    <div class="grid">
      <Input hint={hints.retain_days} {...input("retain_days")} inputmode="numeric" />
      <Select {...input("retain_only")} options={onlyOptions} />
    </div>
  );
}

interface SettingsPageProps {
  frame: PageContext;
  current: CurrentCollection;
  settings: Settings;
  /** The stored settings at the time when the form was rendered. */
  seen: Settings;
  /** The stored values of settings that someone else changed concurrently. */
  theirs?: Settings;
  zone: string;
  problem?: Problem | undefined;
}

/** The page with the settings of an app or form. */
function SettingsPage({
  frame,
  current,
  settings,
  seen,
  theirs = {},
  zone,
  problem: error,
}: SettingsPageProps) {
  const { collection, itemCount } = current;
  const { kind, key, version } = collection;
  const { definitions, definitionSettings: text, terms } = frame.text;
  const base = `${collectionPath[kind]}/${key}`;
  const inputLabels = Object.fromEntries(
    Object.entries(text.labels).flatMap(([name, label]) => [
      [name, label],
      [`acceptance.${name}`, label],
    ]),
  );
  const input = (name: keyof SettingsText["labels"]) => {
    const theirValue = theirs[name];
    const hint = theirValue === undefined ? undefined : text.theirs(theirValue);
    return {
      name,
      label: text.labels[name],
      value: settings[name] ?? "",
      ...(hint ? { hint } : {}),
    };
  };
  return (
    <CollectionLayout
      {...{ frame, collection, live: itemCount, problem: error }}
      labels={inputLabels}
      tab="settings"
    >
      <form
        method="post"
        action={`${base}/settings`}
        class="inputs"
        data-warn={error ? "unsaved" : ""}
      >
        <input type="hidden" name="version" value={String(version)} />
        <input type="hidden" name="$seen" value={JSON.stringify(seen)} />
        <input type="hidden" name="$zone" value={zone} />
        <Input {...input("name")} required maxlength={200} />
        <TextArea {...input("description")} value={`\n${settings["description"] ?? ""}`} />
        <Select
          {...input("time_zone")}
          hint={definitions.timeZoneHint}
          options={zoneOptions(settings["time_zone"])}
        />
        {kind === "app" ? (
          <>
            <Input {...input("receipt_prefix")} hint={text.hints.receipt_prefix} maxlength={20} />
            <Select
              {...input("title_field")}
              hint={text.hints.title_field}
              options={titleOptions(collection.definition.fields.fields)}
            />
          </>
        ) : (
          <>
            <AcceptanceInputs input={input} zone={zone} />
            <RetentionInputs input={input} />
          </>
        )}
        <p class="actions">
          <button type="submit">{terms.saveChanges}</button>
        </p>
      </form>
      <Maintenance {...{ kind, base }} role={frame.member.role} />
    </CollectionLayout>
  );
}

/** Shows the actions on the whole app or form that the member's role allows. */
function Maintenance({ kind, base, role }: { kind: CollectionKind; base: string; role: Role }) {
  const { definitionSettings: text, terms } = useText();
  const { one, items } = terms.collections[kind];
  return (
    <>
      {roleAllows(role, "owners") ? (
        <section>
          <h2>{text.index.title}</h2>
          <p class="muted">{text.index.description(items)}</p>
          <Action action={`${base}/check-index`} name={text.index.check} quiet />
        </section>
      ) : null}
      {roleAllows(role, "erase") ? (
        <section>
          <h2>{text.deletion.title}</h2>
          <p class="muted">{text.deletion.description(one, items)}</p>
          <a class="button quiet" href={`${base}/delete`}>
            {text.deletion.open(one)}
          </a>
        </section>
      ) : null}
    </>
  );
}

/** The page with the settings. Saving keeps concurrent changes to other settings. */
export function settingsPage(kind: CollectionKind) {
  const path = collectionPath[kind];
  const { show, form } = page({
    load: ({ ctx, param }) => getDefinition(ctx, kind, param("key")),
    document: (current, { c }) => definitionDocument(c, current),
    render(frame, current, attempt) {
      const { definition } = current.collection;
      const zone = attempt
        ? readTimeZone(attempt.values["$zone"], definition.time_zone)
        : frame.viewer.zone;
      const seen = toSettings(kind, definition, zone);
      const mergeResult = attempt && mergeSettings(kind, current, attempt.values);
      const { settings, theirs } = mergeResult ?? { settings: seen, theirs: {} };
      const props = { frame, current, settings, seen, theirs, zone };
      return <SettingsPage {...props} problem={attempt?.problem} />;
    },
  });
  const save = form({
    async act({ c, ctx, param, text }) {
      const key = param("key");
      const submitted = await readForm(c);
      const current = await getDefinition(ctx, kind, key);
      const { settings, theirs, version } = mergeSettings(kind, current, submitted);
      if (Object.keys(theirs).length > 0) throw editConflict(text);
      const { definition } = current.collection;
      const zone = readTimeZone(submitted["$zone"], definition.time_zone);
      const body = {
        ...settingsDocument(kind, settings, definition, zone),
        fields: JSON.parse(JSON.stringify(definition.fields.fields.map(fieldDocument))) as unknown,
      };
      const result = await saveAtVersion(ctx, { kind, key }, body, version, text);
      return {
        to: `${path}/${key}/settings`,
        flash: text.definitionSettings.saved,
        document: definitionDocument(c, result),
      };
    },
    explain: withInputNames,
  });
  const repairIndex = action({
    async act({ ctx, param, text }) {
      await checkIndex(ctx, await getCollection(ctx, kind, param("key")));
      return {
        to: `${path}/${param("key")}/settings`,
        flash: text.definitionSettings.index.started,
        document: null,
      };
    },
  });
  return { show, save, repairIndex };
}

/** Replaces the definition with `body` if it still has this version. */
export const saveAtVersion = (
  ctx: ActionContext,
  { kind, key }: { kind: CollectionKind; key: string },
  body: object,
  version: number,
  text: Catalogue,
) =>
  putDefinition(ctx, kind, key, body, {
    ifMatch: [etagOf(version)],
    ifNoneMatch: null,
  }).catch((error: unknown) => {
    const isConflict = error instanceof Problem && error.code === "version_mismatch";
    throw isConflict ? editConflict(text) : error;
  });

const editConflict = ({ definitions }: Catalogue) =>
  problem.explainedConflict(definitions.conflict);

/** Renames field errors to the inputs: `acceptance.state` to `state`, and `retain.days` to `retain_days`. */
function withInputNames(error: Problem): Problem {
  const errors = error.members["errors"] as { field: string }[] | undefined;
  if (!errors) return error;
  const inputErrors = errors.map((fieldError) => ({
    ...fieldError,
    field: fieldError.field.replace(/^acceptance\./, "").replace(/^retain\./, "retain_"),
  }));
  return error.withErrors(inputErrors);
}
