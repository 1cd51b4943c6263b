import { Options } from "#html/inputs.tsx";
import { permissions, type Permission } from "#domain/credential/permissions.ts";
import { isRefused, type LoggedCall, type CallLog } from "#gate/call-log.ts";
import { Badge, type Tone, Id, Empty, Table } from "#html/parts.tsx";
import { useReader, Time, showCount, showClock, showDay } from "#html/viewer.tsx";
import { Plot } from "#admin/plot.tsx";
import type { Credential } from "#domain/credential/credential.ts";
import type { Frame } from "#admin/layout.tsx";
import { CredentialFrame } from "./layout.tsx";

export interface CallFilter {
  /** "refused", "failed", or a status. */
  status: string;
  /** A part of the path, or of a request id. */
  find: string;
}

const outcomes = [
  { value: "", label: "Any outcome" },
  { value: "refused", label: "Refused (401, 403, 429)" },
  { value: "failed", label: "Every 4xx and 5xx" },
];

export function Filters({ status, find, count }: CallFilter & { count: number }) {
  return (
    <form method="get" class="bar" role="search" data-at-once>
      <input
        type="search"
        name="find"
        class="grow"
        value={find}
        placeholder="Path or request id"
        aria-label="Path or request id"
      />
      <select name="status" aria-label="Outcome">
        <Options options={outcomes} value={status} />
      </select>
      <button type="submit" class="quiet">
        Show
      </button>
      <span class="count">{`${count} of the last 200 calls, newest first`}</span>
    </form>
  );
}

function tone(status: number): Tone {
  if (status < 400) return "good";
  return isRefused({ status }) || status >= 500 ? "bad" : "warn";
}

export function Row({
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
        <Time at={at} as={useReader().now - at < 20 * 60 * 60 * 1000 ? "clock" : "time"} />
      </td>
      <td class="call full">
        <code title={`${method} ${call.path}`}>
          {method} {call.path.replace(/^\/api\/v1/, "")}
        </code>
      </td>
      <td class="nowrap">
        <Badge tone={tone(status)}>{status}</Badge>{" "}
        {refusal ? <code class="muted less">{refusal.code}</code> : null}
      </td>
      <td class={reason === "" ? "why" : "why full"}>
        {reason} <Mend permission={refusal?.permission} path={path} />
      </td>
      <td class="number less">{milliseconds}</td>
      <td class="less nowrap">
        <Id of={requestId} shown={requestId.slice(0, 8)} />
      </td>
    </tr>
  );
}

const isPermission = (name: string): name is Permission =>
  (permissions as readonly string[]).includes(name);

/** The way to what was missing. */
export function Mend({
  permission,
  path,
}: {
  permission: string | undefined;
  path: string | undefined;
}) {
  if (permission === undefined || path === undefined || !isPermission(permission)) return null;
  return <a href={`${path}/access?add=${permission}`}>Add permission</a>;
}

const mostReasons = 4;

/** What stands behind most refusals, with what mends it. */
export function Why({
  calls,
  path,
}: {
  calls: readonly { call: LoggedCall; reason: string }[];
  path: string | undefined;
}) {
  const groups = new Map<string, { count: number; permission: string | undefined }>();
  for (const { call, reason } of calls) {
    if (reason === "") continue;
    const { count } = groups.get(reason) ?? { count: 0 };
    groups.set(reason, { count: count + 1, permission: call.refusal?.permission });
  }
  const most = [...groups].toSorted(([, a], [, b]) => b.count - a.count).slice(0, mostReasons);
  return most.length === 0 ? null : (
    <section class="card">
      <h2>Why calls failed</h2>
      <ul class="reasons">
        {most.map(([reason, { count, permission }]) => (
          <li>
            <strong>{showCount(count)} ×</strong> {reason}{" "}
            <Mend permission={permission} path={path} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const hour = 60 * 60 * 1000;

export function Hours({ log, now }: { log: CallLog; now: number }) {
  const reader = useReader();
  const last = Math.floor(now / hour);
  const bars = Array.from({ length: 24 }, (_, i) => {
    const { calls = 0, refused = 0 } = log.hours[last - 23 + i] ?? {};
    const label = showClock(reader, (last - 23 + i) * hour).replace(/:00(?=$|\D)/, "");
    return { label, value: calls, bad: refused };
  });
  return <Plot title="Last 24 hours" noun={["call", "calls"]} bars={bars} />;
}

export function Days({ log, now }: { log: CallLog; now: number }) {
  const reader = useReader();
  const today = Math.floor(now / hour / 24);
  const bars = Array.from({ length: 30 }, (_, i) => {
    const from = (today - 29 + i) * 24;
    const hours = Array.from({ length: 24 }, (__, each) => log.hours[from + each]);
    return {
      label: showDay(reader, from * hour + 12 * hour),
      value: hours.reduce((sum, each) => sum + (each?.calls ?? 0), 0),
      bad: hours.reduce((sum, each) => sum + (each?.refused ?? 0), 0),
    };
  });
  return <Plot title="Last 30 days" noun={["call", "calls"]} bars={bars} />;
}

interface Shown {
  frame: Frame;
  credential: Credential;
  log: CallLog;
  /** Newest first, with why each was refused. */
  calls: readonly { call: LoggedCall; reason: string }[];
  filter: CallFilter;
}

export function CallsPage({ frame, credential, log, calls, filter }: Shown) {
  const filtered = filter.status !== "" || filter.find !== "";
  const live = credential.revokedAt === null;
  return (
    <CredentialFrame frame={frame} credential={credential} tab="Calls">
      <div class="columns">
        <Hours log={log} now={frame.reader.now} />
        <Days log={log} now={frame.reader.now} />
        <Why calls={calls} path={live ? `/admin/integrations/${credential.id}` : undefined} />
      </div>
      <Filters {...filter} count={calls.length} />
      {calls.length === 0 ? (
        <Empty>
          <p>{filtered ? "No call is like that." : "No call yet."}</p>
          <p>
            {filtered ? (
              <a href={`/admin/integrations/${credential.id}`}>Show all</a>
            ) : (
              "The last 200 calls stand here a second after they were made."
            )}
          </p>
        </Empty>
      ) : (
        <Table
          caption="Calls"
          heads={["Time", "Call", "Outcome", "Why", { name: "ms", number: true }, "Request"]}
        >
          {calls.map(({ call, reason }) => (
            <Row
              call={call}
              reason={reason}
              path={live ? `/admin/integrations/${credential.id}` : undefined}
            />
          ))}
        </Table>
      )}
    </CredentialFrame>
  );
}
