import {
  closedReason,
  type Acceptance,
  type CollectionKind,
} from "#domain/definition/collection.ts";
import { Badge, EmptyState, Table } from "#html/parts.tsx";
import { formatCount, Time } from "#html/viewer.tsx";
import type { CollectionOverview } from "#store/data/collections.ts";
import { closedReasonNames, collectionTerms, dataAssets } from "./layout.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import { listOverviews } from "#actions/definitions.ts";
import { page } from "#admin/page.ts";
import { roleAllows } from "#domain/credential/permissions.ts";

const warningPeriodMs = 14 * 24 * 60 * 60 * 1000;

export function AcceptanceState({
  overview,
  now,
}: {
  overview: Acceptance & { itemCount: number };
  now: number;
}) {
  const reason = closedReason(overview, overview.itemCount, now);
  if (reason !== null) {
    return <Badge tone={reason === "full" ? "warn" : "quiet"}>{closedReasonNames[reason]}</Badge>;
  }
  const { closes_at: closes, max_submissions: maxSubmissions } = overview;
  return (
    <>
      <Badge tone="good">Open</Badge>{" "}
      {closes !== null && closes - now < warningPeriodMs ? (
        <Badge tone="warn">
          closes <Time at={closes} as="distance" />
        </Badge>
      ) : null}
      {maxSubmissions === null ? null : (
        <small>
          {formatCount(overview.itemCount)} of {formatCount(maxSubmissions)}
        </small>
      )}
    </>
  );
}

function CollectionRow({
  overview,
  kind,
  frame,
  canDefine,
}: {
  overview: CollectionOverview;
  kind: CollectionKind;
  frame: PageContext;
  canDefine: boolean;
}) {
  const { path, items } = collectionTerms[kind];
  const { key, name, description, itemCount, lastItemAt } = overview;
  return (
    <tr>
      <th scope="row">
        <a href={`${path}/${key}/items`}>{name}</a>
        {description ? <small class="cut">{description}</small> : null}
      </th>
      <td class="less">
        <code>{key}</code>
      </td>
      {kind === "form" ? (
        <td>
          <AcceptanceState overview={overview} now={frame.viewer.now} />
        </td>
      ) : null}
      <td class="number" data-label={collectionTerms[kind].Items}>
        {formatCount(itemCount)}
        <span class="unseen"> {items}</span>
      </td>
      <td class="muted" data-label="Last created">
        {lastItemAt === null ? "–" : <Time at={lastItemAt} as="distance" />}
      </td>
      {canDefine ? (
        <td class="end">
          <a href={`${path}/${key}`} aria-label={`Fields of ${name}`}>
            Fields
          </a>
        </td>
      ) : null}
    </tr>
  );
}

/** Lists all apps or all forms. */
export const collectionsPage = (kind: CollectionKind) =>
  page({
    load: ({ ctx }) => listOverviews(ctx, kind),
    document: (overviews) => ({
      items: overviews.map(({ key, name, description, version, itemCount }) => {
        return { key, name, description, version, live: itemCount };
      }),
    }),
    render(frame, overviews) {
      const { many: plural, one: singular, path, Items } = collectionTerms[kind];
      const createLink = roleAllows(frame.member.role, "define") ? (
        <a class="button" href={`${path}?new`}>
          {" "}
          Create {singular}{" "}
        </a>
      ) : null;
      const deletedLink = roleAllows(frame.member.role, "erase") ? (
        <a class="button quiet" href="/admin/deleted">
          Deleted
        </a>
      ) : null;
      const actions = (
        <>
          {deletedLink}
          {createLink}
        </>
      );
      const headings = [
        "Name",
        "Key",
        ...(kind === "form" ? ["State"] : []),
        { name: Items, number: true },
        "Last created",
        ...(createLink ? [{ name: <span class="unseen">Fields</span> }] : []),
      ];
      return (
        <AdminPage {...dataAssets} frame={frame} title={plural} actions={actions}>
          {overviews.length === 0 ? (
            <EmptyState>
              <p>No {plural.toLowerCase()} yet</p>
              {createLink ? <p>{createLink}</p> : <p>Owners, admins and editors can create one.</p>}
            </EmptyState>
          ) : (
            <Table caption={plural} columns={headings}>
              {overviews.map((overview) => (
                <CollectionRow {...{ overview, kind, frame, canDefine: createLink !== null }} />
              ))}
            </Table>
          )}
        </AdminPage>
      );
    },
  });
