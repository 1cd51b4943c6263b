import { ItemSubject } from "#admin/audit/entries.tsx";
import { maxCountedItems, type ResourceAction } from "#domain/audit.ts";
import type { AuditedItemAction } from "#domain/item/change.ts";
import type { FirstSteps, Overview } from "#actions/overview.ts";
import { AcceptanceState } from "#admin/definitions/list.tsx";
import { collectionPath } from "#admin/definitions/layout.tsx";
import { truncateText } from "#admin/items/value.tsx";
import { ActorNamesContext, QuotedActorName } from "#admin/items/actor-name.tsx";
import { webhookStateTones } from "#admin/webhooks/layout.tsx";
import { roleAllows } from "#domain/credential/permissions.ts";
import { Badge } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import type { RecentAction, ActiveCollection } from "#store/data/recent-activity.ts";
import type { WebhookHealth } from "#store/home/overview.ts";
import { useText } from "./language/index.tsx";
import type { PageContext } from "./layout.tsx";

/** The first steps in a new installation. Each entry disappears when its step is done. */
export function FirstStepsList({ frame, steps }: { frame: PageContext; steps: FirstSteps | null }) {
  const text = useText().overview.firstSteps;
  if (!steps) return null;
  const list: [isOpen: boolean, description: string, name: string, href: string][] = [
    [steps.form, text.form, text.createForm, "/admin/forms?new"],
    [steps.credential, text.credential, text.createCredential, "/admin/integrations/new"],
    [
      steps.colleague && roleAllows(frame.member.role, "members"),
      text.colleague,
      text.inviteMember,
      "/admin/members#invite",
    ],
  ];
  const open = list.filter(([isOpen]) => isOpen);
  if (open.length === 0) return null;
  return (
    <section aria-labelledby="first-steps">
      <h2 id="first-steps">{text.title}</h2>
      <ul class="attention">
        {open.map(([, description, name, href]) => (
          <li>
            <Badge tone="accent">{text.toDo}</Badge>
            <span>{description}</span>
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
  const text = useText().overview.collections;
  return (
    <section aria-labelledby="active">
      <h2 id="active">{text.title}</h2>
      {collections.length === 0 ? <p class="muted">{text.none}</p> : null}
      <ul class="attention results">
        {collections.map((collection) => (
          <CollectionEntry {...{ frame, collection }} />
        ))}
      </ul>
      <p>
        <a href="/admin/forms">{text.allForms}</a> · <a href="/admin/apps">{text.allApps}</a>
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
  const path = collectionPath[kind];
  const { itemCount: describeCount } = useText().terms.collections[kind];
  return (
    <li>
      <span>
        <a href={`${path}/${key}/items`}>
          <bdi>{name}</bdi>
        </a>{" "}
        {kind === "form" ? <AcceptanceState overview={collection} now={frame.viewer.now} /> : null}
      </span>
      <span class="muted">
        {describeCount(itemCount)}
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
  const text = useText().overview.activity;
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">{text.title}</h2>
      {actions.length === 0 ? <p class="muted">{text.none}</p> : null}
      <ActorNamesContext.Provider value={names}>
        <ul class="attention results activity">
          {actions.map((action) => (
            <ActionEntry {...{ frame, action }} />
          ))}
        </ul>
      </ActorNamesContext.Provider>
      {roleAllows(frame.member.role, "audit") ? (
        <p>
          <a href="/admin/audit">{text.audit}</a>
        </p>
      ) : null}
    </section>
  );
}

/** Counts the items that an action changed. Returns 0 for an action on a definition. */
export const countActions = (counts: RecentAction["counts"]): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

function ActionEntry({
  frame,
  action: { at, actor, action, itemId, title, hasItem, counts, detail, kind, key, name },
}: {
  frame: PageContext;
  action: RecentAction;
}) {
  const path = collectionPath[kind];
  const { audit, terms } = useText();
  const collection = (
    <a href={itemId === null ? `${path}/${key}/changes` : `${path}/${key}/items`}>
      <bdi>{name}</bdi>
    </a>
  );
  const actorName = <QuotedActorName actor={actor} frame={frame} />;
  const describe = () => {
    if (itemId === null) {
      const subject = audit.subjects[kind](collection);
      return detail?.views
        ? audit.viewChanges(actorName, detail.views, subject)
        : audit.event(actorName, action as ResourceAction, subject, null);
    }
    const entries = Object.entries(counts) as [AuditedItemAction, number][];
    const total = countActions(counts);
    const place = terms.quote(collection);
    if (total > 1) {
      const { items } = terms.collections[kind];
      return audit.group(actorName, entries, items, place, total < maxCountedItems);
    }
    const item = (
      <ItemSubject
        kind={kind === "app" ? "record" : "submission"}
        id={itemId}
        title={title === null ? null : truncateText(title)}
        href={hasItem ? `${path}/${key}/items/${itemId}` : null}
      />
    );
    return audit.event(actorName, action as ResourceAction, item, place);
  };
  return (
    <li>
      <span>{describe()}</span>
      <span class="muted">
        <Time at={at} as="distance" />
      </span>
    </li>
  );
}

/** Whether each webhook delivers its events. */
export function WebhookHealthList({ webhooks }: { webhooks: readonly WebhookHealth[] }) {
  const text = useText();
  if (webhooks.length === 0) return null;
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks">{text.overview.webhooks}</h2>
      <ul class="attention results">
        {webhooks.map(({ id, name, state }) => (
          <li>
            <a href={`/admin/webhooks/${id}`}>
              <bdi>{name}</bdi>
            </a>
            <Badge tone={webhookStateTones[state]}>{text.terms.webhookStates[state]}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}
