import { closedReason, type Collection } from "#domain/definition/collection.ts";
import { Badge, Tabs } from "#html/parts.tsx";
import { showCount } from "#html/viewer.tsx";
import { type Frame, AdminPage } from "#admin/layout.tsx";
import type { Child, PropsWithChildren } from "hono/jsx";
import { may } from "#domain/credential/permissions.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { schemaDocument } from "#documents/definitions.ts";
import type { CollectionNow } from "#store/data/collections.ts";

/** The style sheet and the script of definitions and their data. */
export const dataAssets = { styles: ["/assets/data.css"], scripts: ["/assets/data.js"] };

/** Words and addresses of apps and forms in the administration area. */
export const words = {
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

export const closedWords = {
  not_open_yet: "Not open yet",
  closed: "Closed",
  full: "Full",
} as const;

/** Whether a form takes submissions, and how full it is. */
export function AcceptanceBadges({
  collection: { definition },
  live,
  frame,
}: {
  collection: Pick<Collection, "definition">;
  live: number;
  frame: Frame;
}) {
  const { acceptance } = definition;
  const reason = closedReason(acceptance, live, frame.reader.now);
  const most = acceptance.max_submissions;
  return (
    <>
      {reason === null ? (
        <Badge tone="good">Open</Badge>
      ) : (
        <Badge tone={reason === "full" ? "warn" : "quiet"}>{closedWords[reason]}</Badge>
      )}
      {most === null ? null : (
        <Badge>
          {showCount(live)} of {showCount(most)}
        </Badge>
      )}
    </>
  );
}

type Tab = "items" | "fields" | "settings" | "api";

interface Shown {
  frame: Frame;
  collection: Pick<Collection, "kind" | "key" | "definition">;
  /** How many items are stored. */
  live: number;
  tab: Tab;
  acts?: Child;
  problem?: Problem | undefined;
  labels?: Record<string, string>;
}

/** A page of an app or form: its state, and its tabs. */
export function CollectionHead(shown: PropsWithChildren<Shown>) {
  const { frame, collection, live, tab, acts, problem, labels, children } = shown;
  const { kind, key, definition } = collection;
  const { many, path, Items } = words[kind];
  const base = `${path}/${key}`;
  const define = may(frame.member.role, "define");
  const tabs: Record<Tab, [string, string]> = {
    items: [Items, `${base}/items`],
    fields: ["Fields", base],
    settings: ["Settings", `${base}/settings`],
    api: ["API", `${base}/api`],
  };
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={definition.name}
      crumbs={[[many, path]]}
      badges={kind === "form" ? <AcceptanceBadges {...{ collection, live, frame }} /> : null}
      acts={acts}
      problem={problem}
      {...(labels ? { labels } : {})}
    >
      <Tabs
        label={definition.name}
        tabs={Object.entries(tabs)
          .filter(([name]) => name !== "settings" || define)
          .map(([, entry]) => entry)}
        current={tabs[tab][0]}
      />
      {children}
    </AdminPage>
  );
}

/** How far the search entries and formulas are. */
export function Indexing({ done, total }: { done: number; total: number }) {
  return (
    <div class="notice quiet" role="status">
      <label>
        Search entries and formulas are brought up to date: {showCount(done)} of {showCount(total)}
        <progress value={done} max={total} data-refresh="" />
      </label>
    </div>
  );
}

/** The definition as programs read it. */
export const documentOf = ({ collection, live, indexing, pending }: CollectionNow) =>
  schemaDocument(collection, live, indexing, pending, Date.now());
