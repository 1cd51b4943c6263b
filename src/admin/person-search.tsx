import * as z from "zod/mini";
import { Hono } from "hono";
import {
  forgetPersonSearch,
  getPersonSearch,
  listSearches,
  startPersonSearch,
  type FoundItem,
} from "#actions/person-search.ts";
import { collectionTerms } from "#admin/definitions/layout.tsx";
import { maxPersonHits } from "#domain/item/person-match.ts";
import { lazy } from "#domain/lazy.ts";
import { formatTimestamp } from "#domain/time.ts";
import { Action } from "#html/action-button.tsx";
import { Input } from "#html/inputs.tsx";
import { EmptyState, NextLink, Table } from "#html/parts.tsx";
import { formatCount, formatQuantity, Time } from "#html/viewer.tsx";
import type { AdminEnv } from "#http/env.ts";
import { textParameters } from "#http/query.ts";
import type { PersonSearch } from "#store/home/person-searches.ts";
import { textOf } from "./form-input.ts";
import { AdminPage } from "./layout.tsx";
import { action, page, requireAbility } from "./page.ts";

const base = "/admin/people";
const title = "Find a person";

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
  const items = formatQuantity(found, "item");
  if (state === "running") return `Searching: ${items} found in ${formatCount(searched)} so far`;
  return found < maxPersonHits ? `${items} found` : `The first ${items} found`;
}

function SearchRow(search: PersonSearch) {
  const { id, text, createdAt, expiresAt } = search;
  return (
    <tr>
      <th scope="row">
        <a href={`${base}/${id}`}>
          <bdi>{text}</bdi>
        </a>
      </th>
      <td>
        <Progress {...search} />
      </td>
      <td>
        <Time at={createdAt} />
      </td>
      <td>
        <Time at={expiresAt} as="distance" />
      </td>
      <td class="end">
        <Action action={`${base}/${id}/delete`} name="Delete search" quiet little />
      </td>
    </tr>
  );
}

const searchesPage = page({
  load: ({ ctx }) => listSearches(ctx),
  document: (searches) => ({ items: searches.map(searchDocument) }),
  render: (frame, searches, attempt) => (
    <AdminPage frame={frame} title={title} problem={attempt?.problem} labels={{ text: "Person" }}>
      <form method="post" action={base} class="inputs">
        <Input
          name="text"
          label="Person"
          hint="An email address, a phone number or a name. All values of all apps and forms are searched, with their history."
          value={textOf(attempt?.values["text"])}
          maxlength={200}
          autocomplete="off"
        />
        <p class="actions">
          <button type="submit">Search everything</button>
        </p>
      </form>
      {searches.length === 0 ? null : (
        <Table
          caption="Searches"
          columns={[
            "Person",
            "Result",
            "Started",
            "Erased",
            { name: <span class="unseen">Delete</span> },
          ]}
        >
          {searches.map((search) => (
            <SearchRow {...search} />
          ))}
        </Table>
      )}
    </AdminPage>
  ),
});

const start = searchesPage.form({
  fields: lazy(() => z.strictObject({ text: z.string() })),
  async act({ ctx }, { text }) {
    const search = await startPersonSearch(ctx, text);
    return { to: `${base}/${search.id}`, document: searchDocument(search), status: 201 };
  },
});

const itemPath = ({ kind, key, id }: NonNullable<FoundItem["found"]>) =>
  `${collectionTerms[kind].path}/${key}/items/${id}`;

function HitRow({ found, former }: FoundItem) {
  if (!found) return null;
  const { id, receipt, name, createdAt, hidden } = found;
  const text = receipt ?? `…${id.slice(-8)}`;
  return (
    <tr>
      <th scope="row">{hidden ? <code>{text}</code> : <a href={itemPath(found)}>{text}</a>}</th>
      <td>
        <bdi>{name}</bdi>
      </td>
      <td>
        <Time at={createdAt} />
      </td>
      <td>{former ? "Former values" : "Values"}</td>
      <td class="end">
        {hidden ? (
          <span class="muted">Deleted with its {found.kind}</span>
        ) : (
          <a class="button quiet little" href={`${itemPath(found)}/erase`}>
            Erase…
          </a>
        )}
      </td>
    </tr>
  );
}

const hitDocument = ({ found, former }: FoundItem) =>
  found && {
    id: found.id,
    receipt_number: found.receipt,
    collection: `${found.kind}:${found.key}`,
    created_at: formatTimestamp(found.createdAt),
    in_history_only: former === 1,
    collection_deleted: found.hidden === 1,
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
    const gone = items.filter(({ found }) => found === undefined).length;
    return (
      <AdminPage frame={frame} title={`${title}: ${search.text}`} crumbs={[[title, base]]}>
        <p role="status">
          <Progress {...search} />.{" "}
          {search.state === "running" ? <a href={`${base}/${search.id}`}>Refresh</a> : null}
        </p>
        {search.found >= maxPersonHits ? (
          <p>More items may match. Erase these, or search for something rarer.</p>
        ) : null}
        {items.length > gone ? (
          <Table
            caption="Found items"
            columns={[
              "Item",
              "App or form",
              "Created",
              "Found in",
              { name: <span class="unseen">Erase</span> },
            ]}
          >
            {items.map((item) => (
              <HitRow {...item} />
            ))}
          </Table>
        ) : (
          <EmptyState>
            <p>{search.state === "running" ? "Nothing found yet." : "Nothing is left to erase."}</p>
          </EmptyState>
        )}
        {gone > 0 ? (
          <p class="muted">{formatQuantity(gone, "item")} no longer exist here.</p>
        ) : null}
        <NextLink href={next} name="More" />
        <p class="muted">
          This search and its text are erased on <Time at={search.expiresAt} as="day" />.
        </p>
        <Action action={`${base}/${search.id}/delete`} name="Delete search" quiet />
      </AdminPage>
    );
  },
});

const forget = action({
  async act({ ctx, param }) {
    await forgetPersonSearch(ctx, param("id"));
    return { to: base, flash: "The search is erased.", document: null };
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
