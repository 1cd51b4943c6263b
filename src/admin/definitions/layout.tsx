import { closedReason, type Collection } from "#domain/definition/collection.ts";
import { nameLocation } from "#admin/databases/locations.ts";
import { Badge, Tabs } from "#html/parts.tsx";
import { formatCount } from "#html/viewer.tsx";
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
export const editorAssets = {
  ...dataAssets,
  scripts: [...dataAssets.scripts, "/assets/editor.js"],
};

/** Words and paths for apps and forms in the administration. */
export const collectionTerms = {
  app: {
    one: "app",
    many: "Apps",
    items: "records",
    Items: "Records",
    item: "record",
    path: "/admin/apps",
  },
  form: {
    one: "form",
    many: "Forms",
    items: "submissions",
    Items: "Submissions",
    item: "submission",
    path: "/admin/forms",
  },
} as const;

export const closedReasonNames = {
  not_open_yet: "Not open yet",
  closed: "Closed",
  full: "Full",
} as const;

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
  const { acceptance } = definition;
  const reason = closedReason(acceptance, live, frame.viewer.now);
  const maxSubmissions = acceptance.max_submissions;
  return (
    <>
      {reason === null ? (
        <Badge tone="good">Open</Badge>
      ) : (
        <Badge tone={reason === "full" ? "warn" : "quiet"}>{closedReasonNames[reason]}</Badge>
      )}
      {maxSubmissions === null ? null : (
        <Badge>
          {formatCount(live)} of {formatCount(maxSubmissions)}
        </Badge>
      )}
    </>
  );
}

/** Shows where the data is, and leads those who may to its move. */
function LocationBadge({
  frame,
  name,
  location,
}: {
  frame: PageContext;
  name: string;
  location: string;
}) {
  const { databases, moves } = frame.text;
  const badge = <Badge>Data in {nameLocation(databases.locations, location)}</Badge>;
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
  /** How many items are stored. */
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
  const { many: plural, path, Items } = collectionTerms[kind];
  const base = `${path}/${key}`;
  const canDefine = roleAllows(frame.member.role, "define");
  const seesCredentials = roleAllows(frame.member.role, "credentials");
  const tabs: Record<Tab, [string, string]> = {
    items: [Items, `${base}/items`],
    summary: ["Summary", `${base}/summary`],
    fields: ["Fields", base],
    settings: ["Settings", `${base}/settings`],
    access: ["Access", `${base}/access`],
    api: ["API", `${base}/api`],
  };
  return (
    <AdminPage
      {...(tab === "fields" ? editorAssets : dataAssets)}
      frame={frame}
      title={definition.name}
      crumbs={[[plural, path]]}
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
        Updating search entries and formulas: {formatCount(done)} of {formatCount(total)}
        <progress value={done} max={total} data-refresh="" />
      </label>
    </div>
  );
}

/** The definition as the API returns it. */
export const definitionDocument = (
  { env, req }: Pick<Context<AdminEnv>, "env" | "req">,
  { collection, itemCount, indexing, pending }: CurrentCollection,
) => schemaDocument(collection, itemCount, indexing, pending, env.clock.now(), req.url);
