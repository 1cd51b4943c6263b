import { useText } from "#admin/language/index.tsx";
import { dayInput, SelectOptions } from "#html/inputs.tsx";
import { Fold } from "#html/parts.tsx";
import { useViewer } from "#html/viewer.tsx";
import { addDays, dayInZone } from "#domain/time.ts";

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
    <Fold name={text.title} open={isFiltered}>
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
          <input {...dayInput} name="from" value={query["from"]} />
        </label>
        <label>
          {text.until}
          <input {...dayInput} name="until" value={query["until"]} />
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
    </Fold>
  );
}

/** Adds the selected app or form to the options even if its name is no longer stored. */
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

/** Links to the entries of today, yesterday and the last 7 days that match the other filters. */
function DayLinks({ query }: { query: Record<string, string> }) {
  const { days } = useText().audit.filters;
  const { now, zone } = useViewer();
  const today = dayInZone(now, zone);
  const links = [
    [days.today, today, today],
    [days.yesterday, addDays(today, -1), addDays(today, -1)],
    [days.week, addDays(today, -6), today],
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
