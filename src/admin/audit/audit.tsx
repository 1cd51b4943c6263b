import { EmptyState, ShortId, NextLink, Table } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { listAuditEntries } from "#actions/overview.ts";
import type { AuditEntry } from "#store/home/audit-log.ts";
import type { AuditPosition } from "#store/home/audit-window.ts";
import { AdminPage } from "#admin/layout.tsx";
import { AuditSentence, AuditFilters } from "./entries.tsx";
import { formatTimestamp, endOfDayMs, isCalendarDay } from "#domain/time.ts";
import { Hono } from "hono";
import { problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import { textParameters } from "#http/query.ts";
import { page, requireAbility } from "#admin/page.ts";
import { viewerOf } from "#admin/preferences.ts";

const filterNames = ["actor", "action", "subject", "collection", "from", "until"];

function entryDocument({ at, requestId, sentRequestId, ...entry }: AuditEntry) {
  const { actor, actorName, session, action, subject, subjectName, collection, version } = entry;
  return {
    at: formatTimestamp(at),
    actor,
    actor_name: actorName,
    session,
    action,
    subject,
    subject_name: subjectName,
    collection,
    version,
    request_id: requestId,
    sent_request_id: sentRequestId,
  };
}

const pageSize = 100;
const dayMs = 24 * 60 * 60 * 1000;

const queryParameters = textParameters(
  "actor",
  "action",
  "subject",
  "collection",
  "from",
  "until",
  "before",
);

const auditPage = page({
  query: queryParameters,
  async load({ c, ctx, query }) {
    // Days are in the member's zone. Scripts usually have none, so their days are in UTC.
    const { zone } = viewerOf(c);
    const filter = {
      actor: query.actor?.trim(),
      action: query.action,
      subject: query.subject?.trim(),
      collection: query.collection,
      from: parseDayEnd("from", query.from, zone, -1),
      until: parseDayEnd("until", query.until, zone, 0),
    };
    const before = parsePosition(query.before);
    const { entries, next } = await listAuditEntries(ctx, filter, before, pageSize);
    const nextUrl = new URL(c.req.url);
    if (next !== null) nextUrl.searchParams.set("before", `${next.at}.${next.number}`);
    return { entries, next: next && nextUrl.href, query: c.req.query() };
  },
  document: ({ entries, next }, { c }) => ({
    items: entries.map(entryDocument),
    links: { self: c.req.url, next },
  }),
  render(frame, { entries, next, query: filters }) {
    const isFiltered = filterNames.some((name) => filters[name]);
    return (
      <AdminPage frame={frame} title="Audit">
        <AuditFilters query={filters} filtered={isFiltered} />
        {entries.length === 0 ? (
          <EmptyState>
            <p>
              {next
                ? "None among those that were looked at so far. Older ones may be like that."
                : "Nothing here is like that."}
            </p>
          </EmptyState>
        ) : (
          <Table caption="Audit" columns={["When", "What happened", "Session", "Request"]}>
            {entries.map((entry) => (
              <tr>
                <td>
                  <Time at={entry.at} />
                </td>
                <td class="full">
                  <AuditSentence entry={entry} />
                </td>
                <td class="less">
                  {entry.session === null ? "" : <code class="nowrap">{entry.session}</code>}
                </td>
                <td class="less nowrap">
                  <ShortId of={entry.requestId} shown={entry.requestId.slice(0, 8)} />
                </td>
              </tr>
            ))}
          </Table>
        )}
        <NextLink href={next} name="Older" />
      </AdminPage>
    );
  },
});

/** The audit log. Members can only read it. */
export const auditRoutes = new Hono<AdminEnv>()
  .use(requireAbility("audit"))
  .get("/", auditPage.show);

function parsePosition(text = ""): AuditPosition | null {
  if (text === "") return null;
  const [, at, number] = /^(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
  if (at && number) return { at: Number(at), number: Number(number) };
  const reason = "This cursor is damaged or belongs to another request. Use links.next unchanged.";
  throw problem.invalidInput([{ field: "before", code: "invalid_cursor", reason }]);
}

/** The end of a day in a zone, moved by `days`. Throws 422 for anything but a calendar day. */
function parseDayEnd(field: string, text = "", zone: string, days: number): number | undefined {
  if (text === "") return undefined;
  if (!isCalendarDay(text)) {
    const reason = "Must be a calendar day like 2026-11-21.";
    throw problem.invalidInput([{ field, code: "invalid_format", reason }]);
  }
  return endOfDayMs(
    formatTimestamp(Date.parse(`${text}T00:00:00Z`) + days * dayMs).slice(0, 10),
    zone,
  );
}
