import { type Catalogue, useText } from "#admin/language/index.tsx";
import { SelectOptions } from "#html/inputs.tsx";
import { useViewer } from "#html/viewer.tsx";
import { dayInZone, formatTimestamp } from "#domain/time.ts";
import type { Child } from "hono/jsx";
import type { AuditEntry } from "#store/home/audit-log.ts";
import { isDeletion } from "#domain/item/change.ts";
import type { ChangeDescription } from "#actions/describe-changes.ts";
import { itemName } from "#admin/items/value.tsx";
import type { AccountAction, AuditAction } from "#domain/audit.ts";

export function AuditFilters({
  query,
  filtered: isFiltered,
  collections,
}: {
  query: Record<string, string>;
  filtered: boolean;
  /** All apps and forms, as subjects like `form:KEY` with their names. */
  collections: readonly { subject: string; name: string }[];
}) {
  const {
    audit: { filters: text },
    terms,
  } = useText();
  const actions = Object.entries(text.actions).map(([value, label]) => ({ value, label }));
  return (
    <>
      <DayLinks query={query} />
      <form method="get" action="/admin/audit" role="search" class="bar">
        <TextFilter name="actor" label={text.actor} example={text.actorExample} query={query} />
        <label>
          {text.action}
          <select name="action">
            <SelectOptions
              options={[{ value: "", label: text.anything }, ...actions]}
              value={query["action"] ?? ""}
            />
          </select>
        </label>
        <TextFilter
          name="subject"
          label={text.subject}
          example={text.subjectExample}
          query={query}
        />
        <label>
          {text.collection}
          <select name="collection">
            <SelectOptions
              options={[
                { value: "", label: text.everywhere },
                ...withChosen(collections, query["collection"]).map(({ subject, name }) => ({
                  value: subject,
                  label: name,
                })),
              ]}
              value={query["collection"] ?? ""}
            />
          </select>
        </label>
        <label>
          {text.from}
          <input type="date" max="9999-12-31" name="from" value={query["from"]} />
        </label>
        <label>
          {text.until}
          <input type="date" max="9999-12-31" name="until" value={query["until"]} />
        </label>
        <button type="submit" class="quiet">
          {terms.applyFilters}
        </button>
        {isFiltered ? (
          <a class="button quiet" href="/admin/audit">
            {text.showAll}
          </a>
        ) : null}
      </form>
    </>
  );
}

/** Lists the chosen app or form too if its name is not stored any more. */
function withChosen(
  collections: readonly { subject: string; name: string }[],
  chosen = "",
): readonly { subject: string; name: string }[] {
  const isListed = chosen === "" || collections.some(({ subject }) => subject === chosen);
  return isListed ? collections : [...collections, { subject: chosen, name: chosen }];
}

interface TextFilterProps {
  name: string;
  label: string;
  example: string;
  query: Record<string, string>;
}

const TextFilter = ({ name, label, example, query }: TextFilterProps) => (
  <label class="grow">
    {label}
    <input type="search" name={name} value={query[name]} placeholder={example} />
  </label>
);

const dayMs = 24 * 60 * 60 * 1000;

/** Links to the entries of today, yesterday and the last 7 days that match the other filters. */
function DayLinks({ query }: { query: Record<string, string> }) {
  const { days } = useText().audit.filters;
  const { now, zone } = useViewer();
  const today = Date.parse(`${dayInZone(now, zone)}T00:00:00Z`);
  const dayBefore = (count: number) => formatTimestamp(today - count * dayMs).slice(0, 10);
  const links = [
    [days.today, dayBefore(0), dayBefore(0)],
    [days.yesterday, dayBefore(1), dayBefore(1)],
    [days.week, dayBefore(6), dayBefore(0)],
  ] as const;
  const { before: _before, since: _since, each: _each, ...filters } = query;
  return (
    <p class="actions">
      {links.map(([name, from, until]) => {
        const isCurrent = query["from"] === from && query["until"] === until;
        const params = new URLSearchParams({ ...filters, from, until });
        return (
          <a
            class="button quiet little"
            href={`/admin/audit?${params.toString()}`}
            aria-current={isCurrent ? "page" : undefined}
          >
            {name}
          </a>
        );
      })}
    </p>
  );
}

export function Actor({ entry: { actor, actorName } }: { entry: AuditEntry }): Child {
  const text = useText().audit;
  if (actor === "system") return <strong>{text.service}</strong>;
  if (actor === "nobody") return <strong>{text.visitor}</strong>;
  const credential = /^credential:(\w+)$/.exec(actor)?.[1];
  if (credential)
    return (
      <a href={`/admin/integrations/${credential}`}>
        <bdi>{actorName ?? text.credential}</bdi>
      </a>
    );
  return <strong>{actorName ?? text.unnamed.member}</strong>;
}

interface SentenceProps {
  entry: AuditEntry;
  /** The values of a change of an item, as far as they are stored. */
  description: ChangeDescription | undefined;
}

/** The first text of the item, which names it. */
function titleOf(description: ChangeDescription | undefined): string | undefined {
  if (!description) return undefined;
  const { compiled, data } = description;
  return itemName(data, compiled.collection.definition.fields.fields);
}

function Subject({ entry, description }: SentenceProps): Child {
  const text = useText().audit;
  const { subject, subjectName, collection, action } = entry;
  const credential = /^credential:(\w+)$/.exec(subject)?.[1];
  if (credential)
    return (
      <a href={`/admin/integrations/${credential}`}>
        <bdi>{subjectName ?? text.credential}</bdi>
      </a>
    );
  const search = /^search:(\w+)$/.exec(subject)?.[1];
  if (search) return <a href={`/admin/people/${search}`}>{text.personSearch(search.slice(-8))}</a>;
  const webhook = /^webhook:(\w+)$/.exec(subject)?.[1];
  if (webhook && subjectName)
    return (
      <a href={`/admin/webhooks/${webhook}`}>
        <bdi>{subjectName}</bdi>
      </a>
    );
  const database = /^database:(\w+)$/.exec(subject)?.[1];
  if (database) return <a href="/admin/settings/databases">{text.database(database)}</a>;
  const href = /^(form|app):/.test(subject) ? collectionPath(subject) : null;
  if (href !== null)
    return (
      <a href={href}>
        <bdi>{subjectName ?? unnamed(subject, text)}</bdi>
      </a>
    );
  if (!/^(rec|sub)_/.test(subject)) return <bdi>{subjectName ?? unnamed(subject, text)}</bdi>;
  const title = subjectName ?? titleOf(description) ?? `…${subject.slice(-8)}`;
  if (collection === null || isDeletion(action)) return <bdi>{title}</bdi>;
  return (
    <a href={`${collectionPath(collection)}/items/${subject}`}>
      <bdi>{title}</bdi>
    </a>
  );
}

/** A subject without a stored name: an address of an invitation, or the kind of the subject. */
function unnamed(subject: string, { unnamed: names }: Catalogue["audit"]): string {
  const [kind = "", id] = subject.split(":");
  if (id === undefined) return subject;
  return (names as Record<string, string>)[kind] ?? names.other;
}

/** The admin path of `form:KEY` or `app:KEY`. */
function collectionPath(name: string): string {
  const [kind = "", key = ""] = name.split(":");
  return `/admin/${kind}s/${key}`;
}

/** A link to the app or form of an item; null for other subjects. */
export const collectionLink = ({ collection, collectionName }: AuditEntry): Child =>
  collection === null ? null : (
    <a href={collectionPath(collection)}>
      <bdi>{collectionName}</bdi>
    </a>
  );

const isAccountAction = (
  action: AuditAction,
  { accountEvents }: Catalogue["audit"],
): action is AccountAction => action in accountEvents;

/** A sentence like “Shop sync changed ORD-000042 in Orders”. */
export function AuditSentence({ entry, description }: SentenceProps) {
  const text = useText().audit;
  const { action, subject, subjectName, version } = entry;
  if (isAccountAction(action, text)) {
    return <>{text.accountEvents[action](<strong>{subjectName ?? subject}</strong>)}</>;
  }
  const isItem = /^(rec|sub)_/.test(subject);
  return (
    <>
      {text.event(
        <Actor entry={entry} />,
        action,
        <Subject entry={entry} description={description} />,
        isItem ? collectionLink(entry) : null,
      )}
      {version !== null && action === "definition.change" ? (
        <>
          {" · "}
          <a href={`${collectionPath(subject)}/changes/${version}`}>{text.compareVersions}</a>
        </>
      ) : null}
    </>
  );
}
