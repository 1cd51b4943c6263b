import { conditionOnOption, fieldsOfView } from "#actions/collection-access.ts";
import type { OperandNames } from "#actions/operand-names.ts";
import { capitalize } from "#domain/text.ts";
import { toTextList } from "#admin/credentials/describe.ts";
import { describeItems, nameConditions } from "#admin/describe-view.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { compileCollection } from "#domain/data/compile.ts";
import type { Collection, Definition } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { mustBeSent } from "#domain/definition/required.ts";
import { ChoiceGroup, Input, type InputOption, Select } from "#html/inputs.tsx";
import { collectionPath } from "./layout.tsx";
import { suggestName } from "./view-of-part.ts";

/** Types and names that often contain personal data. They only preselect fields, and members review the selection. */
const personalTypes: readonly Field["type"][] = ["email", "phone"];
const personalNames =
  /name|mail|phone|address|birth|iban|account|contact|person|customer|patient|氏名|名前|姓|メール|電話|携帯|住所|生年|誕生|口座|連絡先|担当者|顧客|患者/i;

/**
 * Returns the keys of the fields that look like personal data: by their own type and names, by a column, or by a field
 * that their formula reads. A view shows all columns of a list, so one column decides.
 */
function findPersonalFields(collection: Collection): ReadonlySet<string> {
  const personal = new Set(
    collection.definition.fields.fields.filter(looksPersonal).map(({ key }) => key),
  );
  // The formulas are in dependency order, so each one follows the formulas that it reads.
  for (const { field, reads } of compileCollection(collection).fields.formulas)
    if ([...reads.keys].some((key) => personal.has(key))) personal.add(field.key);
  return personal;
}

const looksPersonal = (field: Field): boolean =>
  personalTypes.includes(field.type) ||
  personalNames.test(field.key) ||
  personalNames.test(field.label) ||
  (field.type === "line_items" && field.fields.some(looksPersonal));

/** The form that gives access to a part of an app or form. */
export function GiveAccess({
  collection,
  names,
  values,
}: {
  collection: Collection;
  /** The names that appear in conditions of the views. */
  names: OperandNames;
  values: FormValues;
}) {
  const { kind, key, definition } = collection;
  const text = useText();
  const { give } = text.definitionAccess;
  const { viewGuide } = text.credentialAccess;
  const { one, items: plural } = text.terms.collections[kind];
  const path = `${collectionPath[kind]}/${key}/access`;
  const preset = values["preset"] === "report" ? "report" : "partner";
  const fields = definition.fields.fields;
  const items = textOf(values["items"]) || (preset === "partner" ? "own" : "all");
  const chosen = selectFields(collection, values, items, preset);
  const options = listOptions(fields, text);
  const suggestion = suggestName(toNewView(fields, chosen, options[0]?.value), collection, text);
  return (
    <section id="give">
      <h2>{give.title(one)}</h2>
      <p class="actions">
        <a class="button quiet" href={`${path}?preset=partner`}>
          {give.presets.partner(plural)}
        </a>
        <a class="button quiet" href={`${path}?preset=report`}>
          {give.presets.report(plural)}
        </a>
      </p>
      <form method="post" action={path} class="inputs" data-warn="">
        <input type="hidden" name="preset" value={preset} />
        <FieldsFor definition={definition} items={items} />
        <ItemsChoice
          collection={collection}
          names={names}
          options={options}
          values={{ ...values, items }}
        />
        <ChoiceGroup
          multiple
          name="fields"
          label={give.labels.fields}
          hint={give.fieldsHint[preset](fields.filter(mustBeSent).map(({ label }) => label))}
          options={fields.map((field) => ({
            value: field.key,
            label: field.label,
            hint: <code>{field.key}</code>,
          }))}
          chosen={chosen}
        />
        <Input
          name="name"
          label={give.labels.name}
          hint={give.nameHint(suggestion)}
          maxlength={190}
          value={textOf(values["name"])}
        />
        <p class="muted">
          {give.note(
            one,
            <a href="/docs/views#what-a-partner-can-and-cannot-learn">{viewGuide}</a>,
          )}
        </p>
        <p class="actions">
          <button type="submit">{give.submit}</button>
        </p>
      </form>
    </section>
  );
}

/**
 * Returns the selected fields: the member's selection for these items, the fields of the view, or the proposal of the
 * preset.
 */
function selectFields(
  collection: Collection,
  values: FormValues,
  items: string,
  preset: "partner" | "report",
): string[] {
  const { definition } = collection;
  const keys = definition.fields.fields.map(({ key }) => key);
  const view = (definition.views ?? []).find(({ key }) => items === `view:${key}`);
  const isSelected = values["fields"] !== undefined;
  if (view && !(isSelected && values["fields_for"] === items))
    return fieldsOfView(view, definition);
  if (isSelected) return toTextList(values["fields"]);
  if (preset === "partner") return keys;
  const personal = findPersonalFields(collection);
  return keys.filter((key) => !personal.has(key));
}

/**
 * Sends the items for which the fields are selected. When a member selects another view, a script selects the fields of
 * that view.
 */
function FieldsFor({ definition, items }: { definition: Definition; items: string }) {
  const views = definition.views ?? [];
  const fields = Object.fromEntries(
    views.map((view) => [view.key, fieldsOfView(view, definition)]),
  );
  return (
    <input
      type="hidden"
      name="fields_for"
      value={items}
      data-view-fields={JSON.stringify(fields)}
    />
  );
}

/** Offers the choice of items: all, own items, items of a view, or items with an option. */
function ItemsChoice({
  collection: { kind, definition },
  names,
  options,
  values,
}: {
  collection: Collection;
  names: OperandNames;
  options: readonly InputOption[];
  values: FormValues;
}) {
  const text = useText();
  const { give } = text.definitionAccess;
  const { items } = text.terms.collections[kind];
  const views = (definition.views ?? []).map((view) => ({
    value: `view:${view.key}`,
    label: give.matching(items, view.name),
    hint: describeItems(view, text, { kind, fields: definition.fields.fields, names }),
  }));
  return (
    <ChoiceGroup
      name="items"
      label={capitalize(items)}
      options={[
        { value: "own", label: give.own(items) },
        { value: "all", label: give.all(items) },
        ...views,
        ...(options.length > 0 ? [{ value: "where", label: give.where(items) }] : []),
      ]}
      chosen={[textOf(values["items"])]}
    >
      <p class="hint" role="status" data-fields-follow={give.fieldsFollow}></p>
      {options.length > 0 ? (
        <div class="only" data-only="items">
          <Select
            name="where"
            label={give.labels.where}
            options={options}
            value={textOf(values["where"])}
          />
        </div>
      ) : null}
    </ChoiceGroup>
  );
}

const maxListedOptions = 200;

/** Lists the options of all choice fields, as conditions in words: “Room is Blue”. */
const listOptions = (fields: readonly Field[], text: Catalogue) =>
  fields
    .flatMap((field) =>
      field.type === "select" || field.type === "multi_select"
        ? field.options.map(({ value }) => ({
            value: `${field.key}=${value}`,
            label: nameConditions([conditionOnOption(field, value)], text, fields),
          }))
        : [],
    )
    .slice(0, maxListedOptions);

/** Returns a view for an example name, with the first option and the selected fields. */
function toNewView(fields: readonly Field[], chosen: readonly string[], option?: string) {
  const [key, value] = splitOption(option ?? "");
  const field = fields.find((each) => each.key === key);
  return {
    conditions: field ? [conditionOnOption(field, value)] : [],
    ...(chosen.length < fields.length ? { fields: [...chosen] } : {}),
    source: undefined,
  };
}

/** Splits a value like `room=blue` into the key of the field and the option. */
export const splitOption = (text: string) => {
  const end = text.indexOf("=");
  return [text.slice(0, end), text.slice(end + 1)] as const;
};
