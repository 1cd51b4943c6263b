import { Hono } from "hono";
import type { Child } from "hono/jsx";
import {
  containsWords,
  findByName,
  foldWords,
  maxScannedValues,
  maxTextLength,
  startsWords,
  type RankedItem,
} from "#actions/find.ts";
import { roleAllows, type Ability, type Role } from "#domain/credential/permissions.ts";
import type { AdminEnv } from "#http/env.ts";
import { EmptyState } from "#html/parts.tsx";
import { formatDay, type Viewer } from "#html/viewer.tsx";
import type { NamedCollection } from "#store/home/find.ts";
import { collectionPath } from "#admin/definitions/layout.tsx";
import { type Catalogue, useText } from "./language/index.tsx";
import { AdminPage } from "./layout.tsx";
import { page } from "./page.ts";
import { viewerOf } from "./preferences.ts";

interface Result {
  name: string;
  /** Distinguishes results with the same name. */
  detail: string;
  href: string;
}

interface ResultGroup {
  title: string;
  results: Result[];
}

type SearchText = Pick<Catalogue, "databases" | "frame" | "search" | "terms">;

type FoundPage = keyof Catalogue["search"]["words"];

const pages: [page: FoundPage, href: string, ability: Ability][] = [
  ["overview", "/admin", "see"],
  ["forms", "/admin/forms", "see"],
  ["apps", "/admin/apps", "see"],
  ["createForm", "/admin/forms?new", "define"],
  ["createApp", "/admin/apps?new", "define"],
  ["deleted", "/admin/deleted", "erase"],
  ["integrations", "/admin/integrations", "see"],
  ["createCredential", "/admin/integrations/new", "see"],
  ["webhooks", "/admin/webhooks", "webhooks"],
  ["reference", "/docs", "see"],
  ["guides", "/docs/contents", "see"],
  ["members", "/admin/members", "members"],
  ["people", "/admin/people", "erase"],
  ["settings", "/admin/settings", "members"],
  ["databases", "/admin/settings/databases", "databases"],
  ["audit", "/admin/audit", "audit"],
  ["account", "/admin/account", "see"],
];

/** Finds pages by a text: by their names and by words that people search for. */
function findPages(text: string, role: Role, { databases, frame, search }: SearchText): Result[] {
  const names = { ...frame.pages, ...search.pages, databases: databases.title };
  const starts = foldWords(text);
  return pages
    .filter(
      ([name, , ability]) =>
        roleAllows(role, ability) && startsWords(`${names[name]} ${search.words[name]}`, starts),
    )
    .map(([name, href]) => ({ name: names[name], detail: search.kinds.page, href }));
}

/** Returns the app or form of the page where the search started, like `forms/purchase`. */
function findOpenCollection(
  open: string,
  collections: readonly NamedCollection[],
): NamedCollection | undefined {
  const [, kind = "", key] = /^(app|form)s\/([\w-]+)$/.exec(open) ?? [];
  return collections.find((each) => each.kind === kind && each.key === key);
}

const itemsPath = ({ kind, key }: Pick<NamedCollection, "kind" | "key">) =>
  `${collectionPath[kind]}/${key}/items`;

type Found = Awaited<ReturnType<typeof findByName>>;

/** Groups the results: items that the text names, then names of other things, then items that contain the text. */
function groupResults(
  text: string,
  found: Found,
  { role, viewer }: { role: Role; viewer: Viewer },
  texts: SearchText,
): ResultGroup[] {
  const { items, collections, views, credentials, webhooks, members } = found;
  const { groups: titles, kinds } = texts.search;
  const { pages: pageNames } = texts.frame;
  const itemGroup: ResultGroup = {
    title: titles.items,
    results: [...withDistinctNames(items, texts, viewer), ...collectionResults(items, text, texts)],
  };
  const nameGroups: ResultGroup[] = [
    {
      title: titles.collections,
      results: [
        ...collections.map((each) => ({
          name: each.name,
          detail: kinds[each.kind],
          href: itemsPath(each),
        })),
        ...views.map(({ key, name, collection }) => ({
          name,
          detail: kinds.view(collection.name),
          href: `${itemsPath(collection)}?view=${encodeURIComponent(key)}`,
        })),
      ],
    },
    {
      title: pageNames.integrations,
      results: credentials.map(({ id, name }) => ({
        name,
        detail: kinds.credential,
        href: `/admin/integrations/${id}`,
      })),
    },
    {
      title: pageNames.webhooks,
      results: webhooks.map(({ id, name }) => ({
        name,
        detail: kinds.webhook,
        href: `/admin/webhooks/${id}`,
      })),
    },
  ];
  const memberGroup: ResultGroup = {
    title: pageNames.members,
    results: members.map(({ name, email }) => ({
      name: name || email,
      detail: name ? email : kinds.member,
      href: "/admin/members",
    })),
  };
  const pageGroup = { title: titles.pages, results: findPages(text, role, texts) };
  const hasNamedItem = items[0]?.isNamedByText ?? false;
  const groups = hasNamedItem ? [itemGroup, ...nameGroups] : [...nameGroups, itemGroup];
  return [...groups, pageGroup, memberGroup].filter(({ results }) => results.length > 0);
}

/** Builds the result for an item: its title, the place of the match, and a detail that distinguishes it from others. */
function itemResult(item: RankedItem, { search, terms }: SearchText, viewer: Viewer): Result {
  const { id, receipt, collectionName, title, label, value, status, createdAt } = item;
  const names = [title, receipt, `…${id.slice(-8)}`].filter((name) => name !== null && name !== "");
  const matchTexts =
    label !== null && value !== null && value !== title ? [search.value(label, value)] : [];
  const state = status === "draft" || status === "closed" ? [terms.statuses[status]] : [];
  const day = formatDay(viewer, createdAt);
  return {
    name: names[0] ?? id,
    detail: [collectionName, ...names.slice(1, 2), ...state, day, ...matchTexts].join(" · "),
    href: `${itemsPath(item)}/${id}`,
  };
}

/** Adds the number to the names of results with the same title, such as the orders of one customer. */
function withDistinctNames(
  items: readonly RankedItem[],
  texts: SearchText,
  viewer: Viewer,
): Result[] {
  const titles = Map.groupBy(items, ({ title }) => title);
  return items.map((item) => {
    const result = itemResult(item, texts, viewer);
    if (titles.get(item.title)?.length === 1 || !item.title) return result;
    return { ...result, name: `${item.title} · ${item.receipt ?? `…${item.id.slice(-8)}`}` };
  });
}

const maxLists = 3;

/** Builds links to the lists of the found items. Each list shows all items that match. */
function collectionResults(
  items: readonly RankedItem[],
  text: string,
  { search }: SearchText,
): Result[] {
  const lists = new Map(
    items
      .filter(({ label }) => label !== null)
      .map((item) => [itemsPath(item), item.collectionName]),
  );
  return [...lists].slice(0, maxLists).flatMap(([path, name]) => {
    // Removes words of the collection's name from the search, because items need not contain them.
    const words = text.split(/\s+/u).filter((word) => !containsWords(name, foldWords(word)));
    const query = encodeURIComponent(words.join(" "));
    return query === ""
      ? []
      : [{ name: search.allIn(name), detail: "", href: `${path}?q=${query}` }];
  });
}

const maxCollections = 20;

const searchPage = page({
  async load({ c, ctx, text: texts }) {
    const text = (c.req.query("q") ?? "").trim().slice(0, maxTextLength);
    const open = c.req.query("in") ?? "";
    if (text === "") return { text, groups: [], elsewhere: [] };
    const names = await findByName(ctx, text);
    const collections = names.collections.slice(0, maxCollections);
    const reader = { role: ctx.member.role, viewer: viewerOf(c) };
    const groups = groupResults(text, { ...names, collections }, reader, texts);
    return {
      text,
      groups,
      elsewhere: otherPlaces(open, text, groups, names.allCollections, texts),
    };
  },
  document: ({ groups, elsewhere }) => ({ groups, elsewhere }),
  render: (frame, { text, groups, elsewhere }) => (
    <AdminPage
      frame={frame}
      title={text === "" ? frame.text.search.title : frame.text.search.titleOf(text)}
    >
      {groups.length === 0 ? <NothingFound text={text} /> : null}
      {elsewhere.length > 0 ? (
        <p class="actions">
          {elsewhere.map(({ name, href }) => (
            <a class="button quiet" href={href}>
              {name}
            </a>
          ))}
        </p>
      ) : null}
      {groups.map((group) => (
        <ResultList {...group} />
      ))}
      {groups.length > 0 ? <p class="muted">{frame.text.search.scope(maxScannedValues)}</p> : null}
    </AdminPage>
  ),
});

const maxOffers = 5;

/**
 * Offers to search the items of the open app or form, unless a result already leads there. If there are no results,
 * also offers the newest apps and forms.
 */
function otherPlaces(
  open: string,
  text: string,
  groups: readonly ResultGroup[],
  collections: readonly NamedCollection[],
  { search, terms }: SearchText,
): Result[] {
  const opened = findOpenCollection(open, collections);
  const others = groups.length === 0 ? collections.filter((each) => each !== opened) : [];
  const hrefs = groups.flatMap(({ results }) => results.map(({ href }) => href));
  return [...(opened ? [opened] : []), ...others]
    .slice(0, maxOffers)
    .filter((place) => !hrefs.some((href) => href.startsWith(`${itemsPath(place)}?q=`)))
    .map((place) => ({
      name: search.searchItems(terms.collections[place.kind].items, place.name, text),
      detail: "",
      href: `${itemsPath(place)}?q=${encodeURIComponent(text)}`,
    }));
}

function NothingFound({ text }: { text: string }): Child {
  const { finds, hint, nothing, ways, scope } = useText().search;
  return (
    <EmptyState>
      <p>{text === "" ? hint : nothing(text)}</p>
      <p>{finds}</p>
      <ul>
        {ways.map((way) => (
          <li>{way}</li>
        ))}
      </ul>
      <p class="muted">{scope(maxScannedValues)}</p>
    </EmptyState>
  );
}

function ResultList({ title, results }: ResultGroup) {
  return (
    <section>
      <h2>{title}</h2>
      <ul class="attention results long">
        {results.map(({ name, detail, href }) => (
          <li>
            <a href={href}>
              <bdi>{name}</bdi>
            </a>
            <span class="muted">{detail}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Finds forms, apps, items, credentials, webhooks, members and pages by their names. */
export const searchRoutes = () => new Hono<AdminEnv>().get("/", searchPage.show);
