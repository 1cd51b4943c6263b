import { toTextList } from "#admin/credentials/describe.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
import { useText } from "#admin/language/index.tsx";
import { capitalize } from "#domain/text.ts";
import { InputErrors, useField } from "#html/inputs.tsx";
import type { CollectionLabel } from "#actions/operand-names.ts";

const maxListedFields = 200;
const filterThreshold = 8;

interface FieldChoice {
  key: string;
  labels: Set<string>;
  /** The apps and forms that have a field with this key. */
  places: Set<string>;
}

/** Lists the fields of all apps and forms by key, because a webhook selects fields by key. */
function listFields(reachable: readonly CollectionLabel[], chosen: readonly string[]) {
  const byKey = new Map<string, FieldChoice>();
  for (const { name, fields } of reachable)
    for (const { key, label } of fields) {
      const choice = byKey.get(key) ?? { key, labels: new Set(), places: new Set() };
      choice.labels.add(label);
      choice.places.add(name);
      byKey.set(key, choice);
    }
  const isChosen = ({ key }: FieldChoice) => chosen.includes(key);
  const all = [...byKey.values()];
  const others = all.filter((choice) => !isChosen(choice));
  const listed = [...all.filter(isChosen), ...others].slice(
    0,
    Math.max(maxListedFields, chosen.length),
  );
  const gone = chosen.filter((key) => key !== statusKey && !byKey.has(key));
  // The page does not load the fields of definitions that are too large.
  const omitsFields = reachable.some(({ fields }) => fields.length === 0);
  return { listed, gone, isCut: omitsFields || listed.length < all.length };
}

const statusKey = "$status";
const maxPlaces = 2;

/** Limits events to changes of some fields. Lists the fields by label. */
export function ChangedFields({
  reachable,
  values,
}: {
  reachable: readonly CollectionLabel[];
  values: FormValues;
}) {
  const { webhooks, viewDescription, terms, credentialAccess } = useText();
  const { inputs: text, labels } = webhooks;
  const { inputProps, wrong } = useField({ name: "changed_fields", hint: text.changedFieldsHint });
  const chosenKeys = toTextList(values["changed_fields"] ?? undefined).flatMap(splitKeys);
  const { listed, gone, isCut } = listFields(reachable, chosenKeys);
  const choice = (key: string, label: string, places: readonly string[]) => (
    <label class="choice" data-filtered="changed_fields">
      <input
        type="checkbox"
        name="changed_fields"
        value={key}
        checked={chosenKeys.includes(key)}
        aria-invalid={inputProps["aria-invalid"]}
      />
      <span>
        {label}{" "}
        <small>
          {places.length === 0 ? null : `${terms.list(places)} `}
          <code>{key}</code>
        </small>
      </span>
    </label>
  );
  return (
    <details open={chosenKeys.length > 0 || wrong.length > 0}>
      <summary id={inputProps.id} tabindex={0}>
        {labels.changed_fields}
      </summary>
      <fieldset aria-describedby={inputProps["aria-describedby"]}>
        <legend class="unseen">{labels.changed_fields}</legend>
        <span class="hint" id={`${inputProps.id}-hint`}>
          {text.changedFieldsHint}
        </span>
        {listed.length > filterThreshold ? (
          <input
            type="search"
            data-filter="changed_fields"
            aria-label={text.searchFields}
            placeholder={credentialAccess.resources.searchExample}
            hidden
          />
        ) : null}
        <div class="only">
          {choice(statusKey, capitalize(viewDescription.systemFields.$status), [])}
          {gone.map((key) => choice(key, key, []))}
          {listed.map(({ key, labels: names, places }) =>
            choice(key, terms.list([...names]), shorten([...places])),
          )}
        </div>
        {isCut ? <span class="hint">{text.moreFields}</span> : null}
        <InputErrors id={inputProps.id} wrong={wrong} />
      </fieldset>
    </details>
  );
}

const shorten = (places: readonly string[]) =>
  places.length > maxPlaces ? [...places.slice(0, maxPlaces), "…"] : places;

const splitKeys = (text: string) => text.split(/[\s,]+/).filter((key) => key !== "");

/** Reads the selected keys. Null for none, which means all fields. */
export function readChangedFields(values: FormValues): string[] | null {
  const keys = toTextList(values["changed_fields"] ?? undefined)
    .map(textOf)
    .flatMap(splitKeys);
  return keys.length > 0 ? keys : null;
}
