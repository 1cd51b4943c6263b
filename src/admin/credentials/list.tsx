import { Options } from "#html/inputs.tsx";
import { type Credential, countCalls } from "#domain/credential/credential.ts";
import { Badge, Empty, Next, Table } from "#html/parts.tsx";
import { showCount, Time, useReader } from "#html/viewer.tsx";
import { accessInWords, kindNames, stateNames, stateOf } from "./describe.ts";
import { type Frame, AdminPage } from "#admin/layout.tsx";

export interface ListFilter {
  kind?: string | undefined;
  state: string;
}

const kinds = [
  { value: "", label: "Any kind" },
  { value: "token", label: "Personal tokens" },
  { value: "client", label: "API clients" },
];
const states = [
  { value: "current", label: "Not revoked" },
  { value: "ends_soon", label: "Expires within 14 days" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Revoked" },
  { value: "all", label: "All" },
];

export function Filters({ kind, state }: ListFilter) {
  return (
    <form method="get" action="/admin/integrations" class="bar" role="search" data-at-once>
      <select name="kind" aria-label="Kind">
        <Options options={kinds} value={kind ?? ""} />
      </select>
      <select name="state" aria-label="State">
        <Options options={states} value={state} />
      </select>
      <button type="submit" class="quiet">
        Show
      </button>
    </form>
  );
}

const day = 24 * 60 * 60 * 1000;

export function Row({ credential }: { credential: Credential }) {
  const { id, name, kind, lastUsedAt, expiresAt, usage } = credential;
  const { now } = useReader();
  const counts = countCalls(usage, "hours", now - day);
  const [state, tone] = stateNames[stateOf(credential, now)];
  return (
    <tr>
      <th scope="row">
        <a href={`/admin/integrations/${id}`}>{name}</a>
      </th>
      <td class="less nowrap">{kindNames[kind]}</td>
      <td class="why full">{accessInWords(credential)}</td>
      <td data-label="Used">
        {lastUsedAt === null ? "not yet" : <Time at={lastUsedAt} as="distance" />}
      </td>
      <td class="number" data-label="24 h">
        <Requests {...counts} />
      </td>
      <td data-label="Expires">
        {expiresAt === null ? "never" : <Time at={expiresAt} as="day" />}
      </td>
      <td>
        <Badge tone={tone}>{state}</Badge>
      </td>
    </tr>
  );
}

/** How many, and how large a part was refused. */
function Requests({ requests, refusals }: { requests: number; refusals: number }) {
  const width = 48;
  const bad = requests === 0 ? 0 : Math.max(refusals > 0 ? 3 : 0, (refusals / requests) * width);
  return (
    <span class="nowrap">
      {showCount(requests)}
      {refusals > 0 ? <span class="muted">{`, ${showCount(refusals)} refused`}</span> : null}
      <svg class="meter less" viewBox={`0 0 ${width} 8`} aria-hidden="true">
        <rect class={requests > 0 ? "used" : undefined} width={width} height={8} rx={2} />
        <rect class="bad" width={bad} height={8} rx={2} />
      </svg>
    </span>
  );
}

interface Shown {
  frame: Frame;
  credentials: readonly Credential[];
  filter: ListFilter;
  next: string | null;
}

const heads = [
  "Name",
  "Kind",
  "Access",
  "Last used",
  { name: "24 hours", number: true },
  "Expires",
  "State",
];

export function IntegrationsPage({ frame, credentials, filter, next }: Shown) {
  const filtered = filter.kind !== undefined || filter.state !== "current";
  return (
    <AdminPage
      frame={frame}
      title="Integrations and external data"
      acts={
        <a class="button" href="/admin/integrations/new">
          Issue credential
        </a>
      }
    >
      <Filters {...filter} />
      {credentials.length === 0 ? (
        <Empty>
          <p>{filtered ? "No credential is like that." : "No system has access yet."}</p>
          {filtered ? (
            <p>
              <a href="/admin/integrations">Show all that are in use</a>
            </p>
          ) : (
            <p>A credential lets another system read or write through the API.</p>
          )}
        </Empty>
      ) : (
        <Table caption="Credentials" heads={heads}>
          {credentials.map((credential) => (
            <Row credential={credential} />
          ))}
        </Table>
      )}
      <Next href={next} name="Older" />
    </AdminPage>
  );
}
