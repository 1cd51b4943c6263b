import * as z from "zod/mini";
import {
  addViewOfPart,
  fieldsOfView,
  getCollectionAccess,
  type CollectionAccess,
  type Part,
} from "#actions/collection-access.ts";
import { accessSentence } from "#admin/credentials/access-sentence.ts";
import { describeAccess } from "#admin/credentials/describe.ts";
import { nextPageUrl } from "#admin/credentials/list.tsx";
import { describeView, type ViewWords } from "#admin/describe-view.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { page } from "#admin/page.ts";
import type { FormValues } from "#admin/form-input.ts";
import type { PageContext } from "#admin/layout.tsx";
import { resourceExtent, type Credential } from "#domain/credential/credential.ts";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { capitalize } from "#domain/text.ts";
import { lazy } from "#domain/lazy.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { type Problem, problem } from "#domain/problem/problem.ts";
import { findView } from "#domain/search/view.ts";
import { followedView } from "#domain/webhook/webhook.ts";
import { NextLink, Table } from "#html/parts.tsx";
import { textParameters } from "#http/query.ts";
import { CollectionLayout } from "./layout.tsx";
import { GiveAccess, splitOption } from "./give-access.tsx";
import { nameViewOfPart } from "./view-of-part.ts";

/** The page “Who can see this form”. */

function sightOf({ resources }: Credential, access: CollectionAccess, text: Catalogue): string {
  const { collection } = access.current;
  const extent = resourceExtent(resources, collection.kind, collection.key);
  const { who } = text.definitionAccess;
  if (extent === "whole" || extent === null) return who.everything;
  const view = findView(collection, extent.view);
  return view ? describeView(view, text, wordsOf(access)) : who.nothing;
}

/** Describes the access of a credential to this collection, in the words of the credential's own page. */
function sentenceOf(credential: Credential, access: CollectionAccess, text: Catalogue): string {
  const { kind, key, definition } = access.current.collection;
  const qualifiedKey = `${kind}:${key}`;
  const { resources } = credential;
  const here =
    resources === "all"
      ? [qualifiedKey]
      : resources.filter((each) => each.split("/")[0] === qualifiedKey);
  return accessSentence(
    { ...credential, resources: here },
    [{ ...wordsOf(access), key, name: definition.name, views: definition.views ?? [] }],
    text,
  );
}

function followed(
  hook: CollectionAccess["webhooks"][number],
  access: CollectionAccess,
  text: Catalogue,
): string {
  const { collection } = access.current;
  const key = followedView(hook, `${collection.kind}:${collection.key}`);
  const view = key === undefined ? undefined : findView(collection, key);
  if (view) return describeView(view, text, wordsOf(access));
  const { who } = text.definitionAccess;
  return key === undefined ? who.ownersAccess : who.nothing;
}

const wordsOf = ({ current, names }: CollectionAccess): ViewWords => ({
  kind: current.collection.kind,
  fields: current.collection.definition.fields.fields,
  names,
});

function WhoSees({ access, next }: { access: CollectionAccess; next: string | null }) {
  const { credentials, webhooks, current } = access;
  const { collection } = current;
  const text = useText();
  const { title, lead, caption, columns, receivesEvents } = text.definitionAccess.who;
  const { one } = text.terms.collections[collection.kind];
  return (
    <section>
      <h2>{title(one)}</h2>
      <p>{lead}</p>
      <Table caption={caption(one)} columns={[text.terms.name, columns.access]}>
        {credentials.map((credential) => (
          <tr>
            <th scope="row">
              <a href={`/admin/integrations/${credential.id}/access`}>
                <bdi>{credential.name}</bdi>
              </a>
            </th>
            <td class="full">{sentenceOf(credential, access, text)}</td>
          </tr>
        ))}
        {webhooks.map((hook) => (
          <tr>
            <th scope="row">
              <a href={`/admin/webhooks/${hook.id}`}>
                <bdi>{hook.name}</bdi>
              </a>
            </th>
            <td class="full">{receivesEvents(followed(hook, access, text))}</td>
          </tr>
        ))}
      </Table>
      <NextLink href={next} name={text.credentials.list.older} />
    </section>
  );
}

const AccessQuery = textParameters("preset", "items", "before");

const PartInput = lazy(() =>
  z.object({
    preset: z._default(z.enum(["partner", "report"]), "partner"),
    items: z.string(),
    where: z.optional(z.string()),
    fields: z._default(z.union([z.string(), z.array(z.string())]), []),
    /** The items for which the page has selected the fields. Scripts send no value. */
    fields_for: z.optional(z.string()),
    name: z._default(z.string().check(z.maxLength(190)), ""),
  }),
);

const itemsPattern = /^(all|own|where|view:[a-z][a-z0-9_-]{0,62})$/;

function toPart({ items, where = "", fields }: z.infer<ReturnType<typeof PartInput>>): Part {
  const fieldKeys = [fields].flat();
  if (items === "all" || items === "own") return { items, fields: fieldKeys };
  if (items !== "where") return { items: { view: items.slice("view:".length) }, fields: fieldKeys };
  const [field, option] = splitOption(where);
  return { items: { field, option }, fields: fieldKeys };
}

/**
 * Rejects fields that the page selected for other items than the chosen view, unless they equal the fields of the view.
 * Otherwise, a browser without scripts would give access to more than the view.
 */
function assertFieldsChosen(
  collection: Collection,
  { items, fields, fields_for: chosenFor }: z.infer<ReturnType<typeof PartInput>>,
  text: Catalogue,
): void {
  if (chosenFor === undefined || chosenFor === items || !items.startsWith("view:")) return;
  const view = findView(collection, items.slice("view:".length));
  if (!view) return;
  const chosenKeys = new Set([fields].flat());
  const viewKeys = fieldsOfView(view, collection.definition);
  if (chosenKeys.size === viewKeys.length && viewKeys.every((field) => chosenKeys.has(field)))
    return;
  const reason = text.definitionAccess.give.checkFields(view.name);
  throw problem.invalidInput([errorAt(["fields"], "required", reason)]);
}

interface AccessPageProps {
  frame: PageContext;
  access: CollectionAccess;
  /** The address of the next page of credentials. */
  next: string | null;
  values: FormValues;
  problem?: Problem | undefined;
}

function AccessPage({ frame, access, next, values, problem: error }: AccessPageProps) {
  const { collection, itemCount } = access.current;
  const { items } = frame.text.terms.collections[collection.kind];
  const labels = { ...frame.text.definitionAccess.give.labels, items: capitalize(items) };
  return (
    <CollectionLayout
      {...{ frame, collection, live: itemCount, problem: error, labels }}
      tab="access"
    >
      <WhoSees {...{ access, next }} />
      <GiveAccess collection={collection} names={access.names} values={values} />
    </CollectionLayout>
  );
}

/** The page that lists who can see an app or form, and that gives access to a part of it. */
export function accessPage(kind: CollectionKind) {
  const { show, form } = page({
    query: AccessQuery,
    async load({ c, ctx, param, query }) {
      const access = await getCollectionAccess(ctx, kind, param("key"), query.before ?? null);
      const next = access.next === null ? null : nextPageUrl(c.req.url, access.next);
      return { access, next, values: query };
    },
    document: ({ access, next }, { c, text }) => ({
      credentials: access.credentials.map((credential) => ({
        id: credential.id,
        name: credential.name,
        sees: sightOf(credential, access, text),
        may: describeAccess(credential, text),
      })),
      webhooks: access.webhooks.map((hook) => ({
        id: hook.id,
        name: hook.name,
        sees: followed(hook, access, text),
      })),
      links: { self: c.req.url, next },
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
        (collection) => assertFieldsChosen(collection, input, text),
      );
      const resource = `${kind}:${param("key")}/${view.key}`;
      // A credential that creates its own items gets write access. All others only read, unless the member changes that
      // on the next page.
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
