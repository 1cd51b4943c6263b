import type { PropsWithChildren } from "hono/jsx";
import type { Problem } from "../../../domain/problem/problem";
import { Badge } from "../../../html/parts/badge";
import { Tabs } from "../../../html/parts/tabs";
import { AdminPage } from "../../frame/layout";
import { labels, stateNames } from "../words";
import { Acts } from "./acts";
import { About } from "./about";
import type { HookShown } from "./hook-shown";

const tabs = (path: string) =>
  [
    ["Deliveries", path],
    ["Settings", `${path}/settings`],
    ["Secrets", `${path}/secrets`],
  ] as const;

interface Shown extends HookShown {
  tab: "Deliveries" | "Settings" | "Secrets";
  problem?: Problem | undefined;
}

/** What stands over each view of a webhook: its state, what can be done, and what is known of it. */
export function WebhookFrame({ tab, problem, children, ...shown }: PropsWithChildren<Shown>) {
  const { frame, hook } = shown;
  const path = `/admin/webhooks/${hook.id}`;
  const [state, tone] = stateNames[hook.state];
  return (
    <AdminPage
      frame={frame}
      title={hook.name}
      crumbs={[["Webhooks", "/admin/webhooks"]]}
      badges={<Badge tone={tone}>{state}</Badge>}
      acts={<Acts {...shown} />}
      problem={problem}
      labels={labels}
    >
      {hook.reason === null ? null : (
        <p class="notice bad">
          {hook.reason} It keeps its place: once it is resumed, it goes on from there.
        </p>
      )}
      <About {...shown} />
      <Tabs label="Views of this webhook" current={tab} tabs={tabs(path)} />
      {children}
    </AdminPage>
  );
}
