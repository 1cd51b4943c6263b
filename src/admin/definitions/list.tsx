import {
  closedReason,
  type Acceptance,
  type CollectionKind,
} from "#domain/definition/collection.ts";
import { Badge, EmptyState, Table } from "#html/parts.tsx";
import { Count, Time } from "#html/viewer.tsx";
import type { CollectionOverview } from "#store/data/collections.ts";
import { collectionPath, dataAssets } from "./layout.tsx";
import { useText } from "#admin/language/index.tsx";
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
  const text = useText().definitions.acceptance;
  const reason = closedReason(overview, overview.itemCount, now);
  if (reason !== null) {
    return <Badge tone={reason === "full" ? "warn" : "quiet"}>{text.closed[reason]}</Badge>;
  }
  const { closes_at: closes, max_submissions: maxSubmissions } = overview;
  return (
    <>
      <Badge tone="good">{text.open}</Badge>{" "}
      {closes !== null && closes - now < warningPeriodMs ? (
        <Badge tone="warn">{text.closes(<Time at={closes} as="distance" />)}</Badge>
      ) : null}
      {maxSubmissions === null ? null : (
        <small>{text.ofMost(overview.itemCount, maxSubmissions)}</small>
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
  const { definitions, terms } = useText();
  const text = definitions.list;
  const { Items, itemCount: describeCount } = terms.collections[kind];
  const path = collectionPath[kind];
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
      <td class="number" data-label={Items}>
        <span aria-hidden="true">
          <Count of={itemCount} />
        </span>
        <span class="unseen">{describeCount(itemCount)}</span>
      </td>
      <td class="muted" data-label={text.lastCreated}>
        {lastItemAt === null ? "–" : <Time at={lastItemAt} as="distance" />}
      </td>
      {canDefine ? (
        <td class="end">
          <a href={`${path}/${key}`} aria-label={text.fieldsOf(name)}>
            {text.fields}
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
      const { definitions, terms } = frame.text;
      const text = definitions.list;
      const { many, one, Items } = terms.collections[kind];
      const createLink = roleAllows(frame.member.role, "define") ? (
        <a class="button" href={`${collectionPath[kind]}?new`}>
          {definitions.create(one)}
        </a>
      ) : null;
      const deletedLink = roleAllows(frame.member.role, "erase") ? (
        <a class="button quiet" href="/admin/deleted">
          {text.deleted}
        </a>
      ) : null;
      const actions = (
        <>
          {deletedLink}
          {createLink}
        </>
      );
      const headings = [
        terms.name,
        terms.key,
        ...(kind === "form" ? [text.state] : []),
        { name: Items, number: true },
        text.lastCreated,
        ...(createLink ? [{ name: <span class="unseen">{text.fields}</span> }] : []),
      ];
      return (
        <AdminPage {...dataAssets} frame={frame} title={many} actions={actions}>
          {overviews.length === 0 ? (
            <EmptyState>
              <p>{text.none(many)}</p>
              <p>{createLink ?? text.whoCreates}</p>
            </EmptyState>
          ) : (
            <Table caption={many} columns={headings}>
              {overviews.map((overview) => (
                <CollectionRow {...{ overview, kind, frame, canDefine: createLink !== null }} />
              ))}
            </Table>
          )}
        </AdminPage>
      );
    },
  });
