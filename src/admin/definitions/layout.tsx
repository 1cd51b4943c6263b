import { closedReason, type Collection } from "#domain/definition/collection.ts";
import { nameLocation } from "#admin/databases/locations.ts";
import { Badge, Tabs } from "#html/parts.tsx";
import { useText } from "#admin/language/index.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import type { Context } from "hono";
import type { Child, PropsWithChildren } from "hono/jsx";
import type { AdminEnv } from "#http/env.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { schemaDocument } from "#documents/definitions.ts";
import type { CurrentCollection } from "#store/data/collections.ts";

/** The style sheet and the script of definitions and their data. */
export const dataAssets = { styles: ["/assets/data.css"], scripts: ["/assets/data.js"] };
/** The editor's own script includes the parts of the data script that its pages need. */
export const editorAssets = { ...dataAssets, scripts: ["/assets/editor.js"] };

/** The paths of the lists of apps and forms. */
export const collectionPath = { app: "/admin/apps", form: "/admin/forms" } as const;

/** Shows whether a form accepts submissions, and how full it is. */
function AcceptanceBadges({
  collection: { definition },
  live,
  frame,
}: {
  collection: Pick<Collection, "definition">;
  live: number;
  frame: PageContext;
}) {
  const text = frame.text.definitions.acceptance;
  const { acceptance } = definition;
  const reason = closedReason(acceptance, live, frame.viewer.now);
  const maxSubmissions = acceptance.max_submissions;
  return (
    <>
      {reason === null ? (
        <Badge tone="good">{text.open}</Badge>
      ) : (
        <Badge tone={reason === "full" ? "warn" : "quiet"}>{text.closed[reason]}</Badge>
      )}
      {maxSubmissions === null ? null : <Badge>{text.ofMost(live, maxSubmissions)}</Badge>}
    </>
  );
}

/** Shows the location of the data. For members who may move it, links to the move. */
function LocationBadge({
  frame,
  name,
  location,
}: {
  frame: PageContext;
  name: string;
  location: string;
}) {
  const { databases, definitions, moves } = frame.text;
  const place = nameLocation(databases.locations, location);
  const badge = <Badge>{definitions.dataIn(place)}</Badge>;
  if (!roleAllows(frame.member.role, "databases")) return badge;
  return (
    <a href={`/admin/settings/databases/move?collection=${name}`} title={moves.elsewhere}>
      {badge}
    </a>
  );
}

type Tab = "items" | "summary" | "fields" | "settings" | "access" | "api";

interface CollectionLayoutProps {
  frame: PageContext;
  collection: Pick<Collection, "kind" | "key" | "definition">;
  /** The number of stored items. */
  live: number;
  tab: Tab;
  actions?: Child;
  problem?: Problem | undefined;
  labels?: Record<string, string>;
}

/** The layout of an app's or form's pages, with its state and its tabs. */
export function CollectionLayout(props: PropsWithChildren<CollectionLayoutProps>) {
  const { frame, collection, live, tab, actions, problem, labels, children } = props;
  const { kind, key, definition } = collection;
  const text = frame.text.definitions;
  const { many, Items } = frame.text.terms.collections[kind];
  const base = `${collectionPath[kind]}/${key}`;
  const canDefine = roleAllows(frame.member.role, "define");
  const seesCredentials = roleAllows(frame.member.role, "credentials");
  const tabs: Record<Tab, [string, string]> = {
    items: [Items, `${base}/items`],
    summary: [text.tabs.summary, `${base}/summary`],
    fields: [text.tabs.fields, base],
    settings: [text.tabs.settings, `${base}/settings`],
    access: [text.tabs.access, `${base}/access`],
    api: [text.tabs.api, `${base}/api`],
  };
  return (
    <AdminPage
      {...(tab === "fields" ? editorAssets : dataAssets)}
      frame={frame}
      title={definition.name}
      crumbs={[[many, collectionPath[kind]]]}
      badges={
        <>
          {kind === "form" ? <AcceptanceBadges {...{ collection, live, frame }} /> : null}
          {definition.location ? (
            <LocationBadge frame={frame} name={`${kind}:${key}`} location={definition.location} />
          ) : null}
        </>
      }
      actions={actions}
      problem={problem}
      {...(labels ? { labels } : {})}
    >
      <Tabs
        label={definition.name}
        tabs={Object.entries(tabs)
          .filter(([name]) => name !== "settings" || canDefine)
          .filter(([name]) => name !== "access" || seesCredentials)
          .map(([, entry]) => entry)}
        current={tabs[tab][0]}
      />
      {children}
    </AdminPage>
  );
}

/** Shows the progress of updating search entries and formulas. */
export function IndexingProgress({ done, total }: { done: number; total: number }) {
  return (
    <div class="notice quiet" role="status">
      <label>
        {useText().definitions.indexing(done, total)}
        <progress value={done} max={total} data-refresh="" />
      </label>
    </div>
  );
}

/** Returns the definition in the format of the API. */
export const definitionDocument = (
  { env, req }: Pick<Context<AdminEnv>, "env" | "req">,
  { collection, itemCount, indexing, pending }: CurrentCollection,
) => schemaDocument(collection, itemCount, indexing, pending, env.clock.now(), req.url);
