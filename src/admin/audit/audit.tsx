import { EmptyState, NextLink, Table } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { listAudit, type AuditGroup } from "#actions/audit.ts";
import { describeChanges, type ChangeDescription } from "#actions/describe-changes.ts";
import { loadTitlesOfChanges } from "#actions/reference-titles.ts";
import type { AuditFilter } from "#store/home/audit-log.ts";
import type { AuditPosition } from "#store/home/audit-window.ts";
import { noReferences, ReferencesContext } from "#admin/items/references.tsx";
import { AdminPage } from "#admin/layout.tsx";
import { AuditFilters } from "./filters.tsx";
import { AuditSentence, EntryDetails } from "./entries.tsx";
import { ChangedFields, GroupSentence } from "./groups.tsx";
import { addDays, formatTimestamp, endOfDayMs, isCalendarDay } from "#domain/time.ts";
import { Hono } from "hono";
import { problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import { textParameters } from "#http/query.ts";
import { page, requireAbility } from "#admin/page.ts";
import { viewerOf } from "#admin/preferences.ts";
import { formatChoices } from "#domain/problem/field-errors.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

const filterNames = ["actor", "action", "subject", "collection", "from", "until"];

function groupDocument(
  { entry: { at, requestId, sentRequestId, ...entry }, count }: AuditGroup,
  description: ChangeDescription | undefined,
) {
  const { actor, actorName, session, action, subject, subjectName, collection } = entry;
  return {
    at: formatTimestamp(at),
    actor,
    actor_name: actorName,
    session,
    action,
    subject,
    subject_name: subjectName,
    collection,
    version: entry.version,
    detail: entry.detail,
    request_id: requestId,
    sent_request_id: sentRequestId,
    count,
    ...(count === 1 && description?.fields
      ? { fields: description.fields.map(({ key, from, to }) => ({ field: key, from, to })) }
      : {}),
  };
}

const pageSize = 100;

const queryParameters = textParameters(
  "actor",
  "action",
  "subject",
  "collection",
  "from",
  "until",
  "before",
  "since",
  "each",
);

const auditPage = page({
  query: queryParameters,
  async load({ c, ctx, query }) {
    // Days are in the member's zone. Scripts usually have no zone, so their days are in UTC.
    const { zone } = viewerOf(c);
    const filter: AuditFilter = {
      actor: query.actor?.trim(),
      action: query.action,
      subject: query.subject?.trim(),
      collection: query.collection,
      from: parseDayEnd("from", query.from, zone, -1),
      until: parseDayEnd("until", query.until, zone, 0),
      since: parsePosition("since", query.since) ?? undefined,
    };
    const before = parsePosition("before", query.before);
    const isEach = parseEach(query.each);
    const listed = await listAudit(ctx, filter, before, pageSize, isEach);
    const { groups, next, isCut, collections } = listed;
    const single = groups.filter(({ count }) => count === 1).map(({ entry }) => entry);
    const descriptions = await describeChanges(ctx, single);
    const titles = await loadTitlesOfChanges(ctx, [...descriptions.values()]);
    const nextUrl = new URL(c.req.url);
    if (next !== null) nextUrl.searchParams.set("before", `${next.at}.${next.number}`);
    const results = { groups, descriptions, titles, isEach, collections };
    const searchedBackTo = isCut && next ? next.at : null;
    return { ...results, searchedBackTo, next: next && nextUrl.href, query: c.req.query() };
  },
  document: ({ groups, descriptions, next, searchedBackTo }, { c }) => ({
    items: groups.map((group) => groupDocument(group, descriptions.get(group.entry.number))),
    searched_back_to: searchedBackTo === null ? null : formatTimestamp(searchedBackTo),
    links: { self: c.req.url, next },
  }),
  render(frame, data) {
    const { groups, descriptions, next, searchedBackTo, isEach, query: filters } = data;
    const text = frame.text.audit;
    const { time, event, details } = text.columns;
    const isFiltered = filterNames.some((name) => filters[name]);
    return (
      <AdminPage frame={frame} title={text.title}>
        <AuditFilters query={filters} filtered={isFiltered} collections={data.collections} />
        {isEach ? (
          <p>
            <a href="/admin/audit">{text.backToAll}</a>
          </p>
        ) : null}
        {groups.length === 0 ? (
          <EmptyState>
            <p>{next ? text.noMatchesYet : text.noMatches}</p>
          </EmptyState>
        ) : (
          <ReferencesContext.Provider value={{ ...noReferences, titles: data.titles }}>
            <Table caption={text.title} columns={[time, event, details]}>
              {groups.map(({ entry, ...group }) => (
                <tr>
                  <td>
                    <Time at={entry.at} />
                  </td>
                  <td class="full">
                    {group.count > 1 ? (
                      <GroupSentence group={{ ...group, entry }} />
                    ) : (
                      <>
                        <AuditSentence entry={entry} description={descriptions.get(entry.number)} />
                        <ChangedFields description={descriptions.get(entry.number)} />
                      </>
                    )}
                  </td>
                  <td class="less">
                    <EntryDetails entry={entry} />
                  </td>
                </tr>
              ))}
            </Table>
          </ReferencesContext.Provider>
        )}
        {searchedBackTo === null ? null : (
          <p class="muted">{text.searchedBackTo(<Time at={searchedBackTo} />)}</p>
        )}
        <NextLink href={next} name={searchedBackTo === null ? text.older : text.searchOlder} />
      </AdminPage>
    );
  },
});

/** The audit log. Members can only read it. */
export const auditRoutes = () =>
  new Hono<AdminEnv>().use(requireAbility("audit")).get("/", auditPage.show);

/** Parses the parameter for unfolded entries. Each entry of a batch, an import or a recalculation is then listed. */
function parseEach(text = "false"): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw problem.invalidInput([
    {
      field: "each",
      code: "invalid_format",
      reason: reasonFor("notOneOf", { choices: formatChoices(["true", "false"]) }),
    },
  ]);
}

function parsePosition(field: string, text = ""): AuditPosition | null {
  if (text === "") return null;
  const [, at, number] = /^(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
  if (at && number) return { at: Number(at), number: Number(number) };
  throw problem.invalidInput([
    {
      field,
      code: "invalid_cursor",
      reason: reasonFor("damagedCursor"),
    },
  ]);
}

/** Returns the end of a day in a zone, moved by `days`. Throws 422 for anything but a calendar day. */
function parseDayEnd(field: string, text = "", zone: string, days: number): number | undefined {
  if (text === "") return undefined;
  if (!isCalendarDay(text)) {
    throw problem.invalidInput([{ field, code: "invalid_format", reason: reasonFor("notDay") }]);
  }
  return endOfDayMs(addDays(text, days), zone);
}
