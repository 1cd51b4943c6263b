import type { Child, PropsWithChildren } from "hono/jsx";
import { closedReason, type Collection } from "../../domain/definition/collection";
import { may } from "../../domain/credential/permissions";
import type { Problem } from "../../domain/problem/problem";
import { Badge } from "../../html/parts/badge";
import { Tabs } from "../../html/parts/tabs";
import { showCount } from "../../html/show-count";
import type { Frame } from "../frame/frame";
import { AdminPage } from "../frame/layout";
import { dataAssets } from "./assets";
import { words } from "./words";

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

const closedWords = { not_open_yet: "Not open yet", closed: "Closed", full: "Full" } as const;

/** Whether a form takes submissions, and how full it is. */
function AcceptanceBadges({
  collection: { definition },
  live,
  frame,
}: Pick<Shown, "collection" | "live" | "frame">) {
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
