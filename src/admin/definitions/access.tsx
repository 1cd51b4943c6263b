import * as z from "zod/mini";
import {
  addViewOfPart,
  getCollectionAccess,
  type CollectionAccess,
  type Part,
} from "#actions/collection-access.ts";
import { describeAccess, describePermissionsOf } from "#admin/credentials/describe.ts";
import { describeItems, describeView } from "#admin/describe-view.ts";
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
import { ChoiceGroup } from "#html/inputs.tsx";
import { Table } from "#html/parts.tsx";
import { textParameters } from "#http/query.ts";
import { toTextList } from "#admin/credentials/describe.ts";
import { CollectionLayout, collectionPath } from "./layout.tsx";

/** “Who can see this form”, and the form that gives access to a part of it. */

/** Types and names that often hold personal data. Only the start of a choice, which people check. */
const personalTypes: readonly Field["type"][] = ["email", "phone"];
const personalNames = /name|mail|phone|address|birth|iban|account|contact|person|customer|patient/i;
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
          ]}
          chosen={[textOf(values["items"]) || (preset === "partner" ? "own" : "all")]}
        />
        <ChoiceGroup
          multiple
          name="fields"
          label={give.labels.fields}
          hint={give.fieldsHint[preset]}
          options={fields.map((field) => ({
            value: field.key,
            label: field.label,
            hint: field.key,
          }))}
          chosen={chosen}
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

const AccessQuery = textParameters("preset");

const PartInput = lazy(() =>
  z.object({
    preset: z._default(z.enum(["partner", "report"]), "partner"),
    items: z.string(),
    fields: z._default(z.union([z.string(), z.array(z.string())]), []),
  }),
);

const itemsPattern = /^(all|own|view:[a-z][a-z0-9_-]{0,62})$/;

const toPart = (items: string, fields: string | string[]): Part => ({
  items: items === "all" || items === "own" ? items : { view: items.slice("view:".length) },
  fields: [fields].flat(),
});

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
    async act({ ctx, param, text }, { items, fields }) {
      if (!itemsPattern.test(items)) {
        const reason = text.definitionAccess.give.chooseItems;
        throw problem.invalidInput([errorAt(["items"], "invalid_format", reason)]);
      }
      const view = await addViewOfPart(ctx, kind, param("key"), toPart(items, fields));
      const resource = `${kind}:${param("key")}/${view.key}`;
      // Who creates items of its own may write. Everything else is only read, unless the next page says so.
      const purpose = items === "own" ? "partner" : "part_report";
      const choice = new URLSearchParams({ purpose, resources: resource });
      return { to: `/admin/integrations/new?${choice.toString()}`, document: { resource } };
    },
  });
  return { show, giveAccess };
}
