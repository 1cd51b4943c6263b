import { type Tone, Facts, Id, Badge, Tabs } from "#html/parts.tsx";
import type { WebhookState, WebhookType, Webhook } from "#domain/webhook/webhook.ts";
import { type Frame, AdminPage } from "#admin/layout.tsx";
import { Time } from "#html/viewer.tsx";
import { resourcesInWords } from "#admin/credentials/describe.ts";
import { Act } from "#html/action-button.tsx";
import type { PropsWithChildren } from "hono/jsx";
import type { Problem } from "#domain/problem/problem.ts";

export const labels = {
  name: "Name",
  url: "Address",
  types: "Tells of",
  resources: "Listens to",
  include: "Sends",
};

export const typeNames: Record<WebhookType, string> = {
  "record.created": "Records that are created",
  "record.updated": "Records that are changed",
  "submission.created": "Submissions that are created",
  "submission.updated": "Submissions that are changed",
  "submission.deleted": "Submissions that are deleted",
  "submission.closed": "Submissions that are closed",
};

export const stateNames: Record<WebhookState, readonly [name: string, tone: Tone]> = {
  active: ["Active", "good"],
  paused: ["Paused", "quiet"],
  failing: ["Failing", "bad"],
  disabled: ["Disabled", "bad"],
};

/** As in “submissions: created, changed”. */
export function typesInWords(types: readonly WebhookType[]): string {
  const of = (noun: "record" | "submission") => {
    const verbs = types
      .filter((type) => type.startsWith(`${noun}.`))
      .map((type) => (type.endsWith(".updated") ? "changed" : type.slice(noun.length + 1)));
    return verbs.length === 0 ? [] : [`${noun}s: ${verbs.join(", ")}`];
  };
  return [...of("record"), ...of("submission")].join("; ");
}

export interface HookShown {
  frame: Frame;
  hook: Webhook;
  /** Its maker's e-mail or name; null where that one is gone. */
  makerName: string | null;
}

export const isOwn = ({ frame, hook }: HookShown) => hook.maker === `member:${frame.member.id}`;

export function About(shown: HookShown) {
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

export function Acts(shown: HookShown) {
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
