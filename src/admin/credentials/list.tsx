import { SelectOptions } from "#html/inputs.tsx";
import {
  type Credential,
  type CredentialKind,
  countCalls,
  credentialStateAt,
  type CredentialStateFilter,
  credentialStates,
} from "#domain/credential/credential.ts";
import { credentialDocument } from "#documents/credentials.ts";
import { Badge, EmptyState, NextLink, Table } from "#html/parts.tsx";
import { Count, Time, useViewer } from "#html/viewer.tsx";
import { credentialStateTones, describeAccess } from "./describe.ts";
import * as z from "zod/mini";
import { listVisibleCredentials } from "#actions/list-credentials.ts";
import { lazy } from "#domain/lazy.ts";
import { useText } from "#admin/language/index.tsx";
import { AdminPage } from "#admin/layout.tsx";
import { page } from "#admin/page.ts";

interface ListFilter {
  kind?: CredentialKind | undefined;
  state: CredentialStateFilter;
}

const kinds = ["token", "client"] as const;

function Filters({ kind, state }: ListFilter) {
  const { credentials, terms } = useText();
  const text = credentials.list;
  const kindOptions = [
    { value: "", label: text.anyKind },
    ...kinds.map((value) => ({ value, label: text.kinds[value] })),
  ];
  const stateOptions = credentialStates.map((value) => ({ value, label: text.states[value] }));
  return (
    <form method="get" action="/admin/integrations" class="bar" role="search" data-at-once>
      <select name="kind" aria-label={text.columns.kind}>
        <SelectOptions options={kindOptions} value={kind ?? ""} />
      </select>
      <select name="state" aria-label={text.columns.state}>
        <SelectOptions options={stateOptions} value={state} />
      </select>
      <button type="submit" class="quiet">
        {terms.applyFilters}
      </button>
    </form>
  );
}

const dayMs = 24 * 60 * 60 * 1000;

function Row({ credential }: { credential: Credential }) {
  const { id, name, kind, lastUsedAt, expiresAt, usage } = credential;
  const { now } = useViewer();
  const counts = countCalls(usage, "hours", now - dayMs);
  const state = credentialStateAt(credential, now);
  const text = useText();
  const { kinds: kindNames, list, neverExpires, neverUsed, states } = text.credentials;
  return (
    <tr>
      <th scope="row">
        <a href={`/admin/integrations/${id}`}>{name}</a>
      </th>
      <td class="less nowrap">{kindNames[kind]}</td>
      <td class="why full">{describeAccess(credential, text)}</td>
      <td data-label={list.columns.lastUsed}>
        {lastUsedAt === null ? neverUsed : <Time at={lastUsedAt} as="distance" />}
      </td>
      <td class="number" data-label={list.columns.requests}>
        <RequestCounts {...counts} />
      </td>
      <td data-label={list.columns.expires}>
        {expiresAt === null ? neverExpires : <Time at={expiresAt} as="day" />}
      </td>
      <td class="state">
        <Badge tone={credentialStateTones[state]}>{states[state]}</Badge>
      </td>
    </tr>
  );
}

/** The number of requests, and a bar with the rejected part. */
function RequestCounts({ requests, refusals }: { requests: number; refusals: number }) {
  const width = 48;
  const text = useText().credentials;
  const rejectedWidth =
    requests === 0 ? 0 : Math.max(refusals > 0 ? 3 : 0, (refusals / requests) * width);
  return (
    <span class="nowrap">
      <Count of={requests} />
      {refusals > 0 ? <span class="muted">{text.rejected(refusals)}</span> : null}
      <svg class="meter less" viewBox={`0 0 ${width} 8`} aria-hidden="true">
        <rect class={requests > 0 ? "used" : undefined} width={width} height={8} rx={2} />
        <rect class="bad" width={rejectedWidth} height={8} rx={2} />
      </svg>
    </span>
  );
}

const pageSize = 100;

const ListQuery = lazy(() =>
  z.object({
    // Browsers send an empty string for an unset filter.
    kind: z.optional(z.enum(["", ...kinds])),
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
    const { create, title, list: text } = frame.text.credentials;
    const { name, kind, access, lastUsed, requests, expires, state } = text.columns;
    return (
      <AdminPage
        frame={frame}
        title={title}
        actions={
          <a class="button" href="/admin/integrations/new">
            {create}
          </a>
        }
      >
        <Filters {...filter} />
        {credentials.length === 0 ? (
          <EmptyState>
            <p>{isFiltered ? text.noMatches : text.none}</p>
            {isFiltered ? (
              <p>
                <a href="/admin/integrations">{frame.text.terms.clearFilters}</a>
              </p>
            ) : (
              <p>{text.purpose}</p>
            )}
          </EmptyState>
        ) : (
          <Table
            caption={text.caption}
            columns={[
              name,
              kind,
              access,
              lastUsed,
              { name: requests, number: true },
              expires,
              state,
            ]}
          >
            {credentials.map((credential) => (
              <Row credential={credential} />
            ))}
          </Table>
        )}
        <NextLink href={next} name={text.older} />
      </AdminPage>
    );
  },
});

/** Returns the address of the page of credentials after this one. */
export function nextPageUrl(url: string, next: string): string {
  const address = new URL(url);
  address.searchParams.set("before", next);
  return address.href;
}
