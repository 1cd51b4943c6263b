import type { Child, PropsWithChildren } from "hono/jsx";
import type { Collection } from "../../domain/definition/collection";
import { may } from "../../domain/credential/roles";
import type { Problem } from "../../domain/problem/problem";
import { Tabs } from "../../html/parts/tabs";
import type { Frame } from "../frame/frame";
import { AdminPage } from "../frame/layout";
import { dataAssets } from "./assets";
import { words } from "./words";
import { AcceptanceBadges } from "./acceptance-badges";

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
