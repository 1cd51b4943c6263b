import type { PropsWithChildren } from "hono/jsx";
import type { Problem } from "../../domain/problem/problem";
import type { Webhook } from "../../domain/webhook/webhook";
import { Act } from "../../html/act";
import { Badge, Facts, Id, Tabs } from "../../html/parts";
import { Time } from "../../html/reader";
import { resourcesInWords } from "../credentials/words";
import type { Frame } from "../frame/frame";
import { AdminPage } from "../frame/layout";
import { labels, stateNames, typesInWords } from "./words";

export interface HookShown {
  frame: Frame;
  hook: Webhook;
  /** Its maker's e-mail or name; null where that one is gone. */
  makerName: string | null;
}

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

const isOwn = ({ frame, hook }: HookShown) => hook.maker === `member:${frame.member.id}`;

function Acts(shown: HookShown) {
  const { hook, makerName } = shown;
  const { id, name, state, url } = hook;
  const path = `/admin/webhooks/${id}`;
  return (
    <>
      <Act action={`${path}/test`} name="Send a test" quiet />
      {state === "active" ? (
        <Act action={path} name="Pause" quiet values={{ state: "paused" }} />
      ) : (
        <Act action={path} name="Resume" values={{ state: "active" }} />
      )}
      {isOwn(shown) ? null : (
        <Act
          action={path}
          name="Take over"
          title="Take it over?"
          confirm={`It then tells what you may read, in place of what ${makerName ?? "its maker"} may, and is active.`}
          values={{ url, state: "active" }}
        />
      )}
      <Act
        action={`${path}/delete`}
        name="Delete"
        title={`Delete “${name}”?`}
        confirm="It tells nothing any more, and what it has not told yet is never told by it. Its deliveries and secrets are lost."
      />
    </>
  );
}

function About(shown: HookShown) {
  const { id, url, types, collections, include, createdAt, maker } = shown.hook;
  return (
    <Facts
      facts={[
        ["Address", <code class="wrap">{url}</code>],
        ["Listens to", resourcesInWords(collections)],
        ["Tells of", typesInWords(types)],
        ["Sends", include === "item" ? "the whole item" : "ids alone"],
        ["Made", <Time at={createdAt} as="day" />],
        ["With the rights of", isOwn(shown) ? "you" : <bdi>{shown.makerName ?? maker}</bdi>],
        ["Id", <Id of={id} />],
      ]}
    />
  );
}
