import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { findByName, startsWords } from "#actions/find.ts";
import { roleAllows, type Ability, type Role } from "#domain/credential/permissions.ts";
import type { AdminEnv } from "#http/env.ts";
import { EmptyState } from "#html/parts.tsx";
import type { FoundNames, NamedCollection } from "#store/home/find.ts";
import { collectionTerms } from "#admin/definitions/layout.tsx";
import { AdminPage } from "./layout.tsx";
import { page } from "./page.ts";

interface Result {
  name: string;
  /** Tells results with the same name apart. */
  detail: string;
  href: string;
}

interface ResultGroup {
  title: string;
  results: Result[];
}

/** Pages with the words by which people look for them. */
const pages: [name: string, href: string, words: string, ability: Ability][] = [
  ["Overview", "/admin", "home start attention activity", "see"],
  ["Forms", "/admin/forms", "submissions", "see"],
  ["Apps", "/admin/apps", "records tables", "see"],
  ["Create form", "/admin/forms?new", "new form", "define"],
  ["Create app", "/admin/apps?new", "new app", "define"],
  ["Deleted forms and apps", "/admin/deleted", "restore trash", "erase"],
  ["Integrations", "/admin/integrations", "credentials tokens API clients keys", "see"],
  ["Create credential", "/admin/integrations/new", "new token API client key", "see"],
  ["Webhooks", "/admin/webhooks", "events endpoints", "webhooks"],
  ["API reference", "/docs", "OpenAPI REST", "see"],
  ["Guides", "/docs/contents", "documentation help manual", "see"],
  ["Members", "/admin/members", "people users invite roles", "members"],
  ["Find a person", "/admin/people", "personal data protection privacy GDPR erase", "erase"],
  ["Databases", "/admin/settings/databases", "settings size storage location", "databases"],
  ["Audit", "/admin/audit", "log history who changed", "audit"],
  ["Your account", "/admin/account", "password name time zone sessions sign out profile", "see"],
];

/** The app or form from whose page the search came, like `forms/purchase`. */
function findOpenCollection(
  open: string,
  collections: readonly NamedCollection[],
): NamedCollection | undefined {
  const [, kind = "", key] = /^(app|form)s\/([\w-]+)$/.exec(open) ?? [];
  return collections.find((each) => each.kind === kind && each.key === key);
}

const itemsPath = ({ kind, key }: Pick<NamedCollection, "kind" | "key">) =>
  `${collectionTerms[kind].path}/${key}/items`;

function groupResults(text: string, names: FoundNames, role: Role): ResultGroup[] {
  const { items, collections, credentials, webhooks, members } = names;
  const pageResults = pages.filter(
    ([name, , words, ability]) =>
      roleAllows(role, ability) && startsWords(`${name} ${words}`, text),
  );
  const groups: ResultGroup[] = [
    {
      title: "Items",
      results: items.map(({ id, receipt, collectionName, ...of }) => ({
        name: receipt ?? id,
        detail: collectionName,
        href: `${itemsPath(of)}/${id}`,
      })),
    },
    {
      title: "Forms and apps",
      results: collections.map((each) => ({
        name: each.name,
        detail: each.kind === "form" ? "Form" : "App",
        href: itemsPath(each),
      })),
    },
    {
      title: "Pages",
      results: pageResults.map(([name, href]) => ({ name, detail: "Page", href })),
    },
    {
      title: "Integrations",
      results: credentials.map(({ id, name }) => ({
        name,
        detail: "Credential",
        href: `/admin/integrations/${id}`,
      })),
    },
    {
      title: "Webhooks",
      results: webhooks.map(({ id, name }) => ({
        name,
        detail: "Webhook",
        href: `/admin/webhooks/${id}`,
      })),
    },
    {
      title: "Members",
      results: members.map(({ name, email }) => ({
        name: name || email,
        detail: name ? email : "Member",
        href: "/admin/members",
      })),
    },
  ];
  return groups.filter(({ results }) => results.length > 0);
}

const maxCollections = 20;

const searchPage = page({
  async load({ c, ctx }) {
    const text = (c.req.query("q") ?? "").trim();
    const open = c.req.query("in") ?? "";
    if (text === "") return { text, groups: [], inOpen: null };
    const names = await findByName(ctx, text);
    const collections = names.collections.slice(0, maxCollections);
    const groups = groupResults(text, { ...names, collections }, ctx.member.role);
    return { text, groups, inOpen: openResult(open, text, names.allCollections) };
  },
  document: ({ groups, inOpen }) => ({ in_open: inOpen, groups }),
  render: (frame, { text, groups, inOpen }) => (
    <AdminPage frame={frame} title={text === "" ? "Search" : `Search: ${text}`}>
      {inOpen ? (
        <p>
          <a class="button quiet" href={inOpen.href}>
            {inOpen.name}
          </a>
        </p>
      ) : null}
      {groups.length === 0 ? <NothingFound text={text} /> : null}
      {groups.map((group) => (
        <ResultList {...group} />
      ))}
    </AdminPage>
  ),
});

/** Offers to search the text of the items in the open app or form. */
function openResult(
  open: string,
  text: string,
  collections: readonly NamedCollection[],
): Result | null {
  const found = findOpenCollection(open, collections);
  if (!found) return null;
  const name = `Search ${collectionTerms[found.kind].items} of ${found.name} for “${text}”`;
  return { name, detail: "", href: `${itemsPath(found)}?q=${encodeURIComponent(text)}` };
}

function NothingFound({ text }: { text: string }): Child {
  return (
    <EmptyState>
      <p>
        {text === ""
          ? "Enter the name of a form, app, integration, member or page, or an ID or receipt number."
          : "Nothing found. Enter a name, an ID or a receipt number. To find words in items, open their form first."}
      </p>
    </EmptyState>
  );
}

function ResultList({ title, results }: ResultGroup) {
  return (
    <section>
      <h2>{title}</h2>
      <ul class="attention results">
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
