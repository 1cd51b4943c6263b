import * as z from "zod/mini";
import { Hono } from "hono";
import {
  forgetPersonSearch,
  getPersonSearch,
  listSearches,
  startPersonSearch,
  type FoundItem,
} from "#actions/person-search.ts";
import { collectionPath } from "#admin/definitions/layout.tsx";
import { maxPersonHits } from "#domain/item/person-match.ts";
import { lazy } from "#domain/lazy.ts";
import { formatTimestamp } from "#domain/time.ts";
import { Action } from "#html/action-button.tsx";
import { Input } from "#html/inputs.tsx";
import { EmptyState, NextLink, Table } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import type { AdminEnv } from "#http/env.ts";
import { textParameters } from "#http/query.ts";
import type { PersonSearch } from "#store/home/person-searches.ts";
import { explainErrors } from "./explain-problem.ts";
import { textOf } from "./form-input.ts";
import { type Catalogue, useText } from "./language/index.tsx";
import { AdminPage } from "./layout.tsx";
import { action, page, requireAbility } from "./page.ts";

const base = "/admin/people";

const searchDocument = (search: PersonSearch) => ({
  id: search.id,
  text: search.text,
  created_at: formatTimestamp(search.createdAt),
  created_by: search.actor,
  expires_at: formatTimestamp(search.expiresAt),
  state: search.state,
  searched: search.searched,
  found: search.found,
});

function Progress({ state, searched, found }: PersonSearch) {
  const text = useText().people;
  if (state === "running") return text.running(found, searched);
  if (found === 0) return text.noneFound;
  return found < maxPersonHits ? text.found(found) : text.firstFound(found);
}

function emptyText({ state, found }: PersonSearch, text: Catalogue["people"]): string {
  if (state === "running") return text.nothingYet;
  return found === 0 ? text.tryAgain : text.nothingLeft;
}

function SearchRow(search: PersonSearch) {
  const text = useText().people;
  const { id, text: sought, createdAt, expiresAt } = search;
  return (
    <tr>
      <th scope="row">
        <a href={`${base}/${id}`}>
          <bdi>{sought}</bdi>
        </a>
      </th>
      <td>
        <Progress {...search} />
      </td>
      <td data-label={text.columns.started}>
        <Time at={createdAt} />
      </td>
      <td data-label={text.columns.erased}>
        <Time at={expiresAt} as="distance" />
      </td>
      <td class="end">
        <Action action={`${base}/${id}/delete`} name={text.deleteSearch} quiet little />
      </td>
    </tr>
  );
}

const searchesPage = page({
  load: ({ ctx }) => listSearches(ctx),
  document: (searches) => ({ items: searches.map(searchDocument) }),
  render(frame, searches, attempt) {
    const { frame: frameText, people: text } = frame.text;
    const { person, result, started, erased, delete: deletion } = text.columns;
    return (
      <AdminPage
        frame={frame}
        title={frameText.pages.people}
        problem={attempt?.problem}
        labels={text.labels}
      >
        <form method="post" action={base} class="inputs">
          <Input
            name="text"
            label={text.labels.text}
            hint={text.textHint}
            value={textOf(attempt?.values["text"])}
            maxlength={200}
            autocomplete="off"
          />
          <p class="actions">
            <button type="submit">{text.search}</button>
          </p>
        </form>
        {searches.length === 0 ? null : (
          <Table
            caption={text.searches}
            columns={[
              person,
              result,
              started,
              erased,
              { name: <span class="unseen">{deletion}</span> },
            ]}
          >
            {searches.map((search) => (
              <SearchRow {...search} />
            ))}
          </Table>
        )}
      </AdminPage>
    );
  },
});

const start = searchesPage.form({
  fields: lazy(() => z.strictObject({ text: z.string() })),
  async act({ ctx }, { text }) {
    const search = await startPersonSearch(ctx, text);
    return { to: `${base}/${search.id}`, document: searchDocument(search), status: 201 };
  },
  explain: (error, text) => explainErrors(error, text, () => ({ type: "text" })),
});

const itemPath = ({ kind, key, id, deleted }: NonNullable<FoundItem["found"]>) =>
  `${collectionPath[kind]}/${key}/items/${deleted ? "deleted/" : ""}${id}`;

function HitRow({ found, former, labels }: FoundItem) {
  const { people: text, terms } = useText();
  if (!found) return null;
  const { kind, id, receipt, title, createdAt, hidden, deleted } = found;
  const number = receipt ?? `…${id.slice(-8)}`;
  const name = <bdi>{title || number}</bdi>;
  const values = labels.length > 0 ? terms.list(labels) : text.values;
  return (
    <tr>
      <th scope="row">
        {hidden || deleted ? name : <a href={itemPath(found)}>{name}</a>}
        {title ? <small class="muted"> {number}</small> : null}
        {deleted ? <small class="muted"> {text.deletedItem}</small> : null}
      </th>
      <td data-label={text.itemColumns.place}>{former ? text.formerValues : values}</td>
      <td data-label={text.itemColumns.created}>
        <Time at={createdAt} />
      </td>
      <td class="end">
        {hidden ? (
          <span class="muted">{text.deletedWith[kind]}</span>
        ) : (
          <a class="button quiet little" href={`${itemPath(found)}/erase`}>
            {text.erase}
          </a>
        )}
      </td>
    </tr>
  );
}

/** The items of one app or form, as a table. */
function HitGroup({ hits }: { hits: readonly FoundItem[] }) {
  const { people: text, terms } = useText();
  const firstItem = hits[0]?.found;
  if (!firstItem) return null;
  const { item, created, place, erase } = text.itemColumns;
  const { itemCount } = terms.collections[firstItem.kind];
  return (
    <section>
      <h2>{text.groupTitle(<bdi>{firstItem.name}</bdi>, itemCount(hits.length))}</h2>
      <Table
        caption={text.foundItems}
        columns={[item, place, created, { name: <span class="unseen">{erase}</span> }]}
      >
        {hits.map((hit) => (
          <HitRow {...hit} />
        ))}
      </Table>
    </section>
  );
}

const hitDocument = ({ found, former, labels }: FoundItem) =>
  found && {
    id: found.id,
    title: found.title,
    fields: labels,
    receipt_number: found.receipt,
    collection: `${found.kind}:${found.key}`,
    created_at: formatTimestamp(found.createdAt),
    in_history_only: former === 1,
    collection_deleted: found.hidden === 1,
    deleted: found.deleted === 1,
  };

const resultPage = page({
  query: textParameters("after"),
  async load({ ctx, param, query }) {
    const after = /^\d{1,16}$/.test(textOf(query["after"])) ? Number(query["after"]) : 0;
    const { next, ...result } = await getPersonSearch(ctx, param("id"), after);
    return { ...result, next: next === null ? null : `${base}/${param("id")}?after=${next}` };
  },
  document: ({ search, items, next }) => ({
    ...searchDocument(search),
    items: items.map(hitDocument).filter((item) => item !== undefined),
    links: { next },
  }),
  render(frame, { search, items, next }) {
    const { frame: frameText, people: text } = frame.text;
    const groups = Map.groupBy(
      items.filter(({ found: item }) => item !== undefined),
      ({ found: item }) => `${item?.kind}:${item?.key}:${item?.hidden}`,
    );
    const goneCount = items.filter(({ found }) => found === undefined).length;
    return (
      <AdminPage
        frame={frame}
        title={text.titleOf(search.text)}
        crumbs={[[frameText.pages.people, base]]}
      >
        <p role="status" class={search.found > 0 ? undefined : "notice quiet"}>
          {text.status(<Progress {...search} />)}{" "}
          {search.state === "running" ? <a href={`${base}/${search.id}`}>{text.refresh}</a> : null}
        </p>
        {search.found >= maxPersonHits ? <p>{text.moreMatches}</p> : null}
        {items.length > goneCount ? (
          [...groups.values()].map((hits) => <HitGroup hits={hits} />)
        ) : (
          <EmptyState>
            <p>{emptyText(search, text)}</p>
          </EmptyState>
        )}
        {goneCount > 0 ? <p class="muted">{text.gone(goneCount)}</p> : null}
        <NextLink href={next} name={text.more} />
        <p class="muted">{text.searchedPlaces}</p>
        <p class="muted">{text.otherPlaces}</p>
        <p class="muted">{text.expiry(<Time at={search.expiresAt} as="day" />)}</p>
        <Action action={`${base}/${search.id}/delete`} name={text.deleteSearch} quiet />
      </AdminPage>
    );
  },
});

const forget = action({
  async act({ ctx, param, text }) {
    await forgetPersonSearch(ctx, param("id"));
    return { to: base, flash: text.people.deleted, document: null };
  },
});

/** Searches for the data of a person in all apps and forms. */
export const personSearchRoutes = () =>
  new Hono<AdminEnv>()
    .use(requireAbility("erase"))
    .get("/", searchesPage.show)
    .post("/", start)
    .get("/:id", resultPage.show)
    .post("/:id/delete", forget);
