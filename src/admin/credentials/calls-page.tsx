import { SelectOptions } from "#html/inputs.tsx";
import { permissions, type Permission } from "#domain/credential/permissions.ts";
import { isRejected, type LoggedCall, type CallLog } from "#domain/credential/call-log.ts";
import { Badge, type Tone, ShortId, EmptyState, Table } from "#html/parts.tsx";
import { useViewer, Time, formatClock, formatDay } from "#html/viewer.tsx";
import { Plot } from "#admin/plot.tsx";
import { getCredentialWithLabels } from "#actions/credentials.ts";
import { credentialDocument } from "#documents/credentials.ts";
import { useText } from "#admin/language/index.tsx";
import { page } from "#admin/page.ts";
import { loadCallLog } from "#http/credential-use.ts";
import { textParameters } from "#http/query.ts";
import { callDocument, callReason, filterCalls } from "./calls.ts";
import { CredentialLayout } from "./layout.tsx";

export interface CallFilter {
  /** "refused", "failed", or a status. */
  status: string;
  /** A part of the path, or the start of a request ID. */
  find: string;
}

function Filters({ status, find, count }: CallFilter & { count: number }) {
  const { calls: text, terms } = useText();
  const outcomeOptions = [
    { value: "", label: text.statuses.any },
    { value: "refused", label: text.statuses.refused },
    { value: "failed", label: text.statuses.failed },
  ];
  return (
    <form method="get" class="bar" role="search" data-at-once>
      <input
        type="search"
        name="find"
        class="grow"
        value={find}
        placeholder={text.search}
        aria-label={text.search}
      />
      <select name="status" aria-label={text.status}>
        <SelectOptions options={outcomeOptions} value={status} />
      </select>
      <button type="submit" class="quiet">
        {terms.applyFilters}
      </button>
      <span class="count">{text.count(count)}</span>
    </form>
  );
}

function statusTone(status: number): Tone {
  if (status < 400) return "good";
  return isRejected({ status }) || status >= 500 ? "bad" : "warn";
}

function Row({
  call,
  reason,
  path,
}: {
  call: LoggedCall;
  reason: string;
  path: string | undefined;
}) {
  const { at, method, status, milliseconds, requestId, refusal } = call;
  return (
    <tr>
      <td>
        <Time at={at} as="recent" />
      </td>
      <td class="call full">
        <code title={`${method} ${call.path}`}>
          {method} {call.path.replace(/^\/api\/v1/, "")}
        </code>
      </td>
      <td class="nowrap">
        <Badge tone={statusTone(status)}>{status}</Badge>{" "}
        {refusal ? <code class="muted less">{refusal.code}</code> : null}
      </td>
      <td class={reason === "" ? "why" : "why full"}>
        {reason} <AddPermissionLink permission={refusal?.permission} path={path} />
      </td>
      <td class="number less">{milliseconds}</td>
      <td class="less nowrap">
        <ShortId of={requestId} shown={requestId.slice(0, 8)} />
      </td>
    </tr>
  );
}

const isPermission = (name: string): name is Permission =>
  (permissions as readonly string[]).includes(name);

/** A link that adds the missing permission. */
function AddPermissionLink({
  permission,
  path,
}: {
  permission: string | undefined;
  path: string | undefined;
}) {
  const text = useText().calls;
  if (permission === undefined || path === undefined || !isPermission(permission)) return null;
  return <a href={`${path}/access?add=${permission}`}>{text.addPermission}</a>;
}

const maxReasons = 4;

/** Lists the most frequent reasons of failed calls, with links to fix them. */
function FailureReasons({
  calls,
  path,
}: {
  calls: readonly { call: LoggedCall; reason: string }[];
  path: string | undefined;
}) {
  const text = useText().calls;
  const groups = new Map<string, { count: number; permission: string | undefined }>();
  for (const { call, reason } of calls) {
    if (reason === "") continue;
    const { count } = groups.get(reason) ?? { count: 0 };
    groups.set(reason, { count: count + 1, permission: call.refusal?.permission });
  }
  const topReasons = [...groups].toSorted(([, a], [, b]) => b.count - a.count).slice(0, maxReasons);
  return topReasons.length === 0 ? null : (
    <section class="card">
      <h2>{text.whyFailed}</h2>
      <p class="muted small">{text.whyFailedNote}</p>
      <ul class="reasons">
        {topReasons.map(([reason, { count, permission }]) => (
          <li>
            <strong>{text.times(count)}</strong> {reason}{" "}
            <AddPermissionLink permission={permission} path={path} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const hourMs = 60 * 60 * 1000;

function HourlyCalls({ log, now }: { log: CallLog; now: number }) {
  const viewer = useViewer();
  const text = useText().calls;
  const currentHour = Math.floor(now / hourMs);
  const bars = Array.from({ length: 24 }, (_, i) => {
    const { calls = 0, refused = 0 } = log.hours[currentHour - 23 + i] ?? {};
    const label = formatClock(viewer, (currentHour - 23 + i) * hourMs).replace(/:00(?=$|\D)/, "");
    return { label, value: calls, bad: refused };
  });
  return <Plot title={text.lastDay} describeTotal={text.total} bars={bars} />;
}

function DailyCalls({ log, now }: { log: CallLog; now: number }) {
  const viewer = useViewer();
  const text = useText().calls;
  const today = Math.floor(now / hourMs / 24);
  const bars = Array.from({ length: 30 }, (_, i) => {
    const firstHour = (today - 29 + i) * 24;
    const hours = Array.from({ length: 24 }, (__, hour) => log.hours[firstHour + hour]);
    return {
      label: formatDay(viewer, firstHour * hourMs + 12 * hourMs),
      value: hours.reduce((sum, hour) => sum + (hour?.calls ?? 0), 0),
      bad: hours.reduce((sum, hour) => sum + (hour?.refused ?? 0), 0),
    };
  });
  return <Plot title={text.lastMonth} describeTotal={text.total} bars={bars} />;
}

const CallsQuery = textParameters("status", "find");

/** The page of a credential with its last calls, newest first. */
export const callsPage = page({
  query: CallsQuery,
  async load({ c, ctx, param, text, query: { status = "", find = "" } }) {
    const { credential: stored, reachable } = await getCredentialWithLabels(ctx, param("id"));
    const log = await loadCallLog(c.env, stored);
    const lastUsedAt = Math.max(stored.lastUsedAt ?? 0, log.lastUsedAt ?? 0) || null;
    const credential = { ...stored, lastUsedAt };
    const reasonContext = { resources: credential.resources, reachable };
    const calls = filterCalls(log, { status, find }, ctx.now()).map((call) => ({
      call,
      reason: callReason(call, reasonContext, text),
    }));
    return { credential, reachable, log, calls, filter: { status, find } };
  },
  document: ({ credential, calls: found }, { ctx }) => ({
    ...credentialDocument(credential, ctx.now()),
    calls: found.map(({ call, reason }) => callDocument(call, reason)),
  }),
  render(frame, { credential, reachable, log, calls, filter }) {
    const isFiltered = filter.status !== "" || filter.find !== "";
    const isLive = credential.revokedAt === null;
    const { calls: text, terms } = frame.text;
    const { time, request, status, reason: why, milliseconds, id } = text.columns;
    return (
      <CredentialLayout {...{ frame, credential, reachable }} tab="requests">
        <div class="columns">
          <HourlyCalls log={log} now={frame.viewer.now} />
          <DailyCalls log={log} now={frame.viewer.now} />
          <FailureReasons
            calls={calls}
            path={isLive ? `/admin/integrations/${credential.id}` : undefined}
          />
        </div>
        <Filters {...filter} count={calls.length} />
        {calls.length === 0 ? (
          <EmptyState>
            <p>{isFiltered ? text.noMatches : text.none}</p>
            <p>
              {isFiltered ? (
                <a href={`/admin/integrations/${credential.id}`}>{terms.clearFilters}</a>
              ) : (
                text.explanation
              )}
            </p>
          </EmptyState>
        ) : (
          <Table
            caption={text.caption}
            columns={[time, request, status, why, { name: milliseconds, number: true }, id]}
          >
            {calls.toReversed().map(({ call, reason }) => (
              <Row
                call={call}
                reason={reason}
                path={isLive ? `/admin/integrations/${credential.id}` : undefined}
              />
            ))}
          </Table>
        )}
      </CredentialLayout>
    );
  },
});
