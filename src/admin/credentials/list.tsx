import { SelectOptions } from "#html/inputs.tsx";
import { type Credential, countCalls, credentialStates } from "#domain/credential/credential.ts";
import { Badge, EmptyState, NextLink, Table } from "#html/parts.tsx";
import { formatCount, Time, useViewer } from "#html/viewer.tsx";
import {
  credentialDocument,
  describeAccess,
  credentialKindLabels,
  credentialStateBadges,
  credentialStateAt,
} from "./describe.ts";
import * as z from "zod/mini";
import { listVisibleCredentials } from "#actions/credentials.ts";
import { lazy } from "#domain/lazy.ts";
import { AdminPage } from "#admin/layout.tsx";
import { page } from "#admin/page.ts";

interface ListFilter {
  kind?: string | undefined;
  state: string;
}

const kindOptions = [
  { value: "", label: "Any kind" },
  { value: "token", label: "Personal tokens" },
  { value: "client", label: "API clients" },
];
const stateOptions = [
  { value: "current", label: "Not revoked" },
  { value: "ends_soon", label: "Expires within 14 days" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Revoked" },
  { value: "all", label: "All" },
];

function Filters({ kind, state }: ListFilter) {
  return (
    <form method="get" action="/admin/integrations" class="bar" role="search" data-at-once>
      <select name="kind" aria-label="Kind">
        <SelectOptions options={kindOptions} value={kind ?? ""} />
      </select>
      <select name="state" aria-label="State">
        <SelectOptions options={stateOptions} value={state} />
      </select>
      <button type="submit" class="quiet">
        {" "}
        Apply filters{" "}
      </button>
    </form>
  );
}

const dayMs = 24 * 60 * 60 * 1000;

function Row({ credential }: { credential: Credential }) {
  const { id, name, kind, lastUsedAt, expiresAt, usage } = credential;
  const { now } = useViewer();
  const counts = countCalls(usage, "hours", now - dayMs);
  const [state, tone] = credentialStateBadges[credentialStateAt(credential, now)];
  return (
    <tr>
      <th scope="row">
        <a href={`/admin/integrations/${id}`}>{name}</a>
      </th>
      <td class="less nowrap">{credentialKindLabels[kind]}</td>
      <td class="why full">{describeAccess(credential)}</td>
      <td data-label="Last used">
        {lastUsedAt === null ? "Never" : <Time at={lastUsedAt} as="distance" />}
      </td>
      <td class="number" data-label="24 h">
        <RequestCounts {...counts} />
      </td>
      <td data-label="Expires">
        {expiresAt === null ? "Never" : <Time at={expiresAt} as="day" />}
      </td>
      <td>
        <Badge tone={tone}>{state}</Badge>
      </td>
    </tr>
  );
}

/** The number of requests, and a bar with the rejected part. */
function RequestCounts({ requests, refusals }: { requests: number; refusals: number }) {
  const width = 48;
  const rejectedWidth =
    requests === 0 ? 0 : Math.max(refusals > 0 ? 3 : 0, (refusals / requests) * width);
  return (
    <span class="nowrap">
      {formatCount(requests)}
      {refusals > 0 ? <span class="muted">{`, ${formatCount(refusals)} rejected`}</span> : null}
      <svg class="meter less" viewBox={`0 0 ${width} 8`} aria-hidden="true">
        <rect class={requests > 0 ? "used" : undefined} width={width} height={8} rx={2} />
        <rect class="bad" width={rejectedWidth} height={8} rx={2} />
      </svg>
    </span>
  );
}

const headings = [
  "Name",
  "Kind",
  "Access",
  "Last used",
  { name: "24 hours", number: true },
  "Expires",
  "State",
];

const pageSize = 100;

const ListQuery = lazy(() =>
  z.object({
    // Browsers send an empty string for an unset filter.
    kind: z.optional(z.enum(["", "token", "client"])),
    state: z.optional(z.enum(["", ...credentialStates])),
    before: z.optional(z.string().check(z.maxLength(40))),
  }),
);

/** The list of personal tokens and API clients. */
export const integrationsPage = page({
  query: ListQuery,
  async load({ c, ctx, query: { before = null, kind, state } }) {
    const filter = { kind: kind || undefined, state: state || ("current" as const) };
    const { credentials, next } = await listVisibleCredentials(ctx, {
      ...filter,
      before,
      limit: pageSize,
    });
    return { credentials, filter, next: next === null ? null : nextPageUrl(c.req.url, next) };
  },
  document({ credentials, next }, { c, ctx }) {
    const now = ctx.now();
    const items = credentials.map((credential) => ({
      ...credentialDocument(credential, now),
      last_24_hours: countCalls(credential.usage, "hours", now - dayMs),
    }));
    return { items, links: { self: c.req.url, next } };
  },
  render(frame, { credentials, filter, next }) {
    const isFiltered = filter.kind !== undefined || filter.state !== "current";
    return (
      <AdminPage
        frame={frame}
        title="Integrations and external data"
        actions={
          <a class="button" href="/admin/integrations/new">
            {" "}
            Create credential{" "}
          </a>
        }
      >
        <Filters {...filter} />
        {credentials.length === 0 ? (
          <EmptyState>
            <p>{isFiltered ? "No matching credentials" : "No credentials yet"}</p>
            {isFiltered ? (
              <p>
                <a href="/admin/integrations">Clear filters</a>
              </p>
            ) : (
              <p>A credential lets another system read or write data through the API.</p>
            )}
          </EmptyState>
        ) : (
          <Table caption="Credentials" columns={headings}>
            {credentials.map((credential) => (
              <Row credential={credential} />
            ))}
          </Table>
        )}
        <NextLink href={next} name="Show older credentials" />
      </AdminPage>
    );
  },
});

function nextPageUrl(url: string, next: string): string {
  const address = new URL(url);
  address.searchParams.set("before", next);
  return address.href;
}
