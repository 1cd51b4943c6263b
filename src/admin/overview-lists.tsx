import type { FirstSteps, Overview } from "#actions/overview.ts";
import { AcceptanceState } from "#admin/definitions/list.tsx";
import { collectionTerms } from "#admin/definitions/layout.tsx";
import { actionVerbs } from "#admin/audit/entries.tsx";
import { ActorName, ActorNamesContext } from "#admin/items/value.tsx";
import { webhookStateBadges } from "#admin/webhooks/layout.tsx";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { ResourceAction } from "#domain/audit.ts";
import { Badge } from "#html/parts.tsx";
import { formatQuantity, Time } from "#html/viewer.tsx";
import type { RecentAction, ActiveCollection } from "#store/data/recent-activity.ts";
import type { WebhookHealth } from "#store/home/overview.ts";
import type { PageContext } from "./layout.tsx";

/** What to do first in a new installation. Each entry disappears once it is done. */
export function FirstStepsList({ frame, steps }: { frame: PageContext; steps: FirstSteps | null }) {
  if (!steps) return null;
  const list: [isOpen: boolean, text: string, name: string, href: string][] = [
    [
      steps.form,
      "Create a form to collect submissions. For tables of records, create an app.",
      "Create form",
      "/admin/forms?new",
    ],
    [
      steps.credential,
      "Connect a website or another system with a credential for the API.",
      "Create credential",
      "/admin/integrations/new",
    ],
    [
      steps.colleague && roleAllows(frame.member.role, "members"),
      "Invite a colleague.",
      "Invite member",
      "/admin/members#invite",
    ],
  ];
  const open = list.filter(([isOpen]) => isOpen);
  if (open.length === 0) return null;
  return (
    <section aria-labelledby="first-steps">
      <h2 id="first-steps" class="first">
        First steps
      </h2>
      <ul class="attention">
        {open.map(([, text, name, href]) => (
          <li>
            <Badge tone="accent">To do</Badge>
            <span>{text}</span>
            <a class="button quiet little" href={href}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The apps and forms with the newest items. */
export function ActiveCollections({
  frame,
  collections,
}: {
  frame: PageContext;
  collections: readonly ActiveCollection[];
}) {
  return (
    <section aria-labelledby="active">
      <h2 id="active">Forms and apps</h2>
      {collections.length === 0 ? <p class="muted">No forms or apps yet</p> : null}
      <ul class="attention results">
        {collections.map((collection) => (
          <CollectionEntry {...{ frame, collection }} />
        ))}
      </ul>
      <p>
        <a href="/admin/forms">All forms</a> · <a href="/admin/apps">All apps</a>
      </p>
    </section>
  );
}

function CollectionEntry({
  frame,
  collection,
}: {
  frame: PageContext;
  collection: ActiveCollection;
}) {
  const { kind, key, name, itemCount, lastItemAt } = collection;
  const { path, item } = collectionTerms[kind];
  return (
    <li>
      <span>
        <a href={`${path}/${key}/items`}>
          <bdi>{name}</bdi>
        </a>{" "}
        {kind === "form" ? <AcceptanceState overview={collection} now={frame.viewer.now} /> : null}
      </span>
      <span class="muted">
        {formatQuantity(itemCount, item)}
        {lastItemAt === null ? null : (
          <>
            {" · "}
            <Time at={lastItemAt} as="distance" />
          </>
        )}
      </span>
    </li>
  );
}

/** The newest actions on items and definitions, without recalculations. */
export function RecentActivity({
  frame,
  overview: { actions, names },
}: {
  frame: PageContext;
  overview: Pick<Overview, "actions" | "names">;
}) {
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">Recent activity</h2>
      {actions.length === 0 ? <p class="muted">Nothing yet</p> : null}
      <ActorNamesContext.Provider value={names}>
        <ul class="attention results activity">
          {actions.map((action) => (
            <ActionEntry {...{ frame, action }} />
          ))}
        </ul>
      </ActorNamesContext.Provider>
      {roleAllows(frame.member.role, "audit") ? (
        <p>
          <a href="/admin/audit">Audit</a>
        </p>
      ) : null}
    </section>
  );
}

function ActionEntry({
  frame,
  action: { at, actor, action, itemId, receipt, kind, key, name },
}: {
  frame: PageContext;
  action: RecentAction;
}) {
  const { path, item } = collectionTerms[kind];
  const verb = actionVerbs[action as ResourceAction];
  const isGone = /\.(delete|erase)$/.test(action);
  const title = receipt ?? `a ${item}`;
  return (
    <li>
      <span>
        <ActorName actor={actor} frame={frame} /> {verb}{" "}
        {itemId === null ? null : (
          <>
            {isGone ? title : <a href={`${path}/${key}/items/${itemId}`}>{title}</a>}
            {" in "}
          </>
        )}
        <a href={itemId === null ? `${path}/${key}/changes` : `${path}/${key}/items`}>
          <bdi>{name}</bdi>
        </a>
      </span>
      <span class="muted">
        <Time at={at} as="distance" />
      </span>
    </li>
  );
}

/** Whether each webhook delivers its events. */
export function WebhookHealthList({ webhooks }: { webhooks: readonly WebhookHealth[] }) {
  if (webhooks.length === 0) return null;
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <ul class="attention results">
        {webhooks.map(({ id, name, state }) => (
          <li>
            <a href={`/admin/webhooks/${id}`}>
              <bdi>{name}</bdi>
            </a>
            <Badge tone={webhookStateBadges[state][1]}>{webhookStateBadges[state][0]}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}
