import * as z from "zod/mini";
import {
  addViewOfPart,
  getCollectionAccess,
  type CollectionAccess,
  type Part,
} from "#actions/collection-access.ts";
import { describeAccess, describePermissionsOf } from "#admin/credentials/describe.ts";
import { describeItems, describeView, nameConditions } from "#admin/describe-view.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { page } from "#admin/page.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
import type { PageContext } from "#admin/layout.tsx";
import { reachOf, type Credential } from "#domain/credential/credential.ts";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { lazy } from "#domain/lazy.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { type Problem, problem } from "#domain/problem/problem.ts";
import { findView } from "#domain/search/view.ts";
import { followedView } from "#domain/webhook/webhook.ts";
import { ChoiceGroup, Input, Select } from "#html/inputs.tsx";
import { Table } from "#html/parts.tsx";
import { textParameters } from "#http/query.ts";
import { toTextList } from "#admin/credentials/describe.ts";
import { CollectionLayout, collectionPath } from "./layout.tsx";
import { nameViewOfPart, suggestName } from "./view-of-part.ts";

/** “Who can see this form”, and the form that gives access to a part of it. */

/** Types and names that often hold personal data. Only the start of a choice, which people check. */
const personalTypes: readonly Field["type"][] = ["email", "phone"];
const personalNames =
  /name|mail|phone|address|birth|iban|account|contact|person|customer|patient|氏名|名前|姓|メール|電話|携帯|住所|生年|誕生|口座|連絡先|担当者|顧客|患者/i;
const isPersonal = ({ type, key, label }: Field) =>
  personalTypes.includes(type) || personalNames.test(key) || personalNames.test(label);

function sightOf({ resources }: Credential, collection: Collection, text: Catalogue): string {
  const reach = reachOf(resources, collection.kind, collection.key);
  const { who } = text.definitionAccess;
  if (reach === "whole" || reach === null) return who.everything;
  const view = findView(collection, reach.view);
  return view ? describeView(view, text, collection.definition.fields.fields) : who.nothing;
}

function followed(
  hook: CollectionAccess["webhooks"][number],
  collection: Collection,
  text: Catalogue,
): string {
  const key = followedView(hook, `${collection.kind}:${collection.key}`);
  const view = key === undefined ? undefined : findView(collection, key);
  if (view) return describeView(view, text, collection.definition.fields.fields);
  const { who } = text.definitionAccess;
  return key === undefined ? who.ownersAccess : who.nothing;
}

function WhoSees({ access, frame }: { access: CollectionAccess; frame: PageContext }) {
  const { credentials, webhooks, current } = access;
  const { collection } = current;
  const text = useText();
  const { title, lead, caption, columns, receivesEvents } = text.definitionAccess.who;
  const { one } = text.terms.collections[collection.kind];
  const isCurrent = ({ expiresAt }: Credential) =>
    expiresAt === null || expiresAt > frame.viewer.now;
  return (
    <section>
      <h2>{title(one)}</h2>
      <p>{lead}</p>
      <Table caption={caption(one)} columns={[text.terms.name, columns.sees, columns.may]}>
        {credentials.filter(isCurrent).map((credential) => (
          <tr>
            <th scope="row">
              <a href={`/admin/integrations/${credential.id}/access`}>
                <bdi>{credential.name}</bdi>
              </a>
            </th>
            <td data-label={columns.sees}>{sightOf(credential, collection, text)}</td>
            <td data-label={columns.may}>
              {describePermissionsOf(credential, collection.kind, text)}
            </td>
          </tr>
        ))}
        {webhooks.map((hook) => (
          <tr>
            <th scope="row">
              <a href={`/admin/webhooks/${hook.id}`}>
                <bdi>{hook.name}</bdi>
              </a>
            </th>
            <td data-label={columns.sees}>{followed(hook, collection, text)}</td>
            <td data-label={columns.may}>{receivesEvents}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function GiveAccess({ collection, values }: { collection: Collection; values: FormValues }) {
  const { kind, key, definition } = collection;
  const text = useText();
  const { give } = text.definitionAccess;
  const { viewGuide } = text.credentialAccess;
  const { items, one } = text.terms.collections[kind];
  const path = `${collectionPath[kind]}/${key}/access`;
  const preset = values["preset"] === "report" ? "report" : "partner";
  const fields = definition.fields.fields;
  const chosen =
    values["fields"] === undefined
      ? fields
          .filter((field) => preset === "partner" || !isPersonal(field))
          .map((field) => field.key)
      : toTextList(values["fields"]);
  const views = (definition.views ?? []).map((view) => ({
    value: `view:${view.key}`,
    label: give.matching(items, view.name),
    hint: describeItems(view, text, fields),
  }));
  const options = listOptions(fields, text);
  const suggestion = suggestName(toNewView(fields, chosen, options[0]?.value), collection, text);
  return (
    <section>
      <h2>{give.title(one)}</h2>
      <p class="actions">
        <a class="button quiet" href={`${path}?preset=partner`}>
          {give.presets.partner}
        </a>
        <a class="button quiet" href={`${path}?preset=report`}>
          {give.presets.report}
        </a>
      </p>
      <form method="post" action={path} class="inputs">
        <input type="hidden" name="preset" value={preset} />
        <ChoiceGroup
          name="items"
          label={give.labels.items}
          options={[
            { value: "own", label: give.own(items) },
            { value: "all", label: give.all(items) },
            ...views,
            ...(options.length > 0 ? [{ value: "where", label: give.where(items) }] : []),
          ]}
          chosen={[textOf(values["items"]) || (preset === "partner" ? "own" : "all")]}
        >
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
        <ChoiceGroup
          multiple
          name="fields"
          label={give.labels.fields}
          hint={give.fieldsHint[preset]}
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

const maxListedOptions = 200;

/** The options of all choice fields, as conditions in words: “Room is Blue”. */
const listOptions = (fields: readonly Field[], text: Catalogue) =>
  fields
    .flatMap((field) =>
      field.type === "select" || field.type === "multi_select"
        ? field.options.map(({ value }) => ({
            value: `${field.key}=${value}`,
            label: nameConditions([conditionOn(field, value)], text, fields),
          }))
        : [],
    )
    .slice(0, maxListedOptions);

const conditionOn = ({ key, type }: Field, option: string) => ({
  field: key,
  op: type === "multi_select" ? "has_any" : "eq",
  value: option,
});

/** A view for the example of a name: the first option, and the chosen fields. */
function toNewView(fields: readonly Field[], chosen: readonly string[], option?: string) {
  const [key = "", value = ""] = splitOption(option ?? "");
  const field = fields.find((each) => each.key === key);
  return {
    conditions: field ? [conditionOn(field, value)] : [],
    ...(chosen.length < fields.length ? { fields: [...chosen] } : {}),
    source: undefined,
  };
}

const splitOption = (text: string) => {
  const end = text.indexOf("=");
  return [text.slice(0, end), text.slice(end + 1)] as const;
};

const AccessQuery = textParameters("preset", "items");

const PartInput = lazy(() =>
  z.object({
    preset: z._default(z.enum(["partner", "report"]), "partner"),
    items: z.string(),
    where: z.optional(z.string()),
    fields: z._default(z.union([z.string(), z.array(z.string())]), []),
    name: z._default(z.string().check(z.maxLength(190)), ""),
  }),
);

const itemsPattern = /^(all|own|where|view:[a-z][a-z0-9_-]{0,62})$/;

function toPart({ items, where = "", fields }: z.infer<ReturnType<typeof PartInput>>): Part {
  const shown = [fields].flat();
  if (items === "all" || items === "own") return { items, fields: shown };
  if (items !== "where") return { items: { view: items.slice("view:".length) }, fields: shown };
  const [field, option] = splitOption(where);
  return { items: { field, option }, fields: shown };
}

interface AccessPageProps {
  frame: PageContext;
  access: CollectionAccess;
  values: FormValues;
  problem?: Problem | undefined;
}

function AccessPage({ frame, access, values, problem: error }: AccessPageProps) {
  const { collection, itemCount } = access.current;
  const { labels } = frame.text.definitionAccess.give;
  return (
    <CollectionLayout
      {...{ frame, collection, live: itemCount, problem: error, labels }}
      tab="access"
    >
      <WhoSees access={access} frame={frame} />
      <GiveAccess collection={collection} values={values} />
    </CollectionLayout>
  );
}

/** The page that says who sees an app or form, and that gives access to a part of it. */
export function accessPage(kind: CollectionKind) {
  const { show, form } = page({
    query: AccessQuery,
    load: async ({ ctx, param, query }) => ({
      access: await getCollectionAccess(ctx, kind, param("key")),
      values: query as FormValues,
    }),
    document: ({ access: { current, credentials, webhooks } }, { text }) => ({
      credentials: credentials.map((credential) => ({
        id: credential.id,
        name: credential.name,
        sees: sightOf(credential, current.collection, text),
        may: describeAccess(credential, text),
      })),
      webhooks: webhooks.map((hook) => ({
        id: hook.id,
        name: hook.name,
        sees: followed(hook, current.collection, text),
      })),
    }),
    render: (frame, data, attempt) => <AccessPage frame={frame} {...data} {...attempt} />,
  });
  const giveAccess = form({
    fields: PartInput,
    async act({ ctx, param, text }, input) {
      const { items } = input;
      if (!itemsPattern.test(items)) {
        const reason = text.definitionAccess.give.chooseItems;
        throw problem.invalidInput([errorAt(["items"], "invalid_format", reason)]);
      }
      const { view, isNew } = await addViewOfPart(
        ctx,
        kind,
        param("key"),
        toPart(input),
        (newView, collection) => nameViewOfPart(newView, collection, input.name, text),
      );
      const resource = `${kind}:${param("key")}/${view.key}`;
      // Who creates items of its own may write. Everything else is only read, unless the next page says so.
      const purpose = items === "own" ? "partner" : "part_report";
      const choice = new URLSearchParams({ purpose, resources: resource, name: view.name });
      const { added, reused } = text.definitionAccess.give;
      return {
        to: `/admin/integrations/new?${choice.toString()}`,
        flash: (isNew ? added : reused)(view.name),
        document: { resource },
      };
    },
  });
  return { show, giveAccess };
}
