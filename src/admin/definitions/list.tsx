import { closedReason, type CollectionKind } from "#domain/definition/collection.ts";
import { Badge, Empty, Table } from "#html/parts.tsx";
import { showCount, Time } from "#html/viewer.tsx";
import type { Glance } from "#store/data/collections.ts";
import { closedWords, words, dataAssets } from "./layout.tsx";
import { type Frame, AdminPage } from "#admin/layout.tsx";
import { may } from "#domain/credential/permissions.ts";

const soon = 14 * 24 * 60 * 60 * 1000;

export function State({ each, now }: { each: Glance; now: number }) {
  const reason = closedReason(each, each.live, now);
  if (reason !== null) {
    return <Badge tone={reason === "full" ? "warn" : "quiet"}>{closedWords[reason]}</Badge>;
  }
  const { closes_at: closes, max_submissions: most } = each;
  return (
    <>
      <Badge tone="good">Open</Badge>{" "}
      {closes !== null && closes - now < soon ? (
        <Badge tone="warn">
          closes <Time at={closes} as="distance" />
        </Badge>
      ) : null}
      {most === null ? null : (
        <small>
          {showCount(each.live)} of {showCount(most)}
        </small>
      )}
    </>
  );
}

export function Row({
  each,
  kind,
  frame,
  defines,
}: {
  each: Glance;
  kind: CollectionKind;
  frame: Frame;
  defines: boolean;
}) {
  const { path, items } = words[kind];
  const { key, name, description, live, lastItemAt } = each;
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
          <State each={each} now={frame.reader.now} />
        </td>
      ) : null}
      <td class="number" data-label={words[kind].Items}>
        {showCount(live)}
        <span class="unseen"> {items}</span>
      </td>
      <td class="muted" data-label="Last one">
        {lastItemAt === null ? "–" : <Time at={lastItemAt} as="distance" />}
      </td>
      {defines ? (
        <td class="end">
          <a href={`${path}/${key}`} aria-label={`Fields of ${name}`}>
            Fields
          </a>
        </td>
      ) : null}
    </tr>
  );
}

interface Shown {
  frame: Frame;
  kind: CollectionKind;
  found: readonly Glance[];
}

/** Every app, or every form. */
export function ListPage({ frame, kind, found }: Shown) {
  const { many, one, path, Items } = words[kind];
  const make = may(frame.member.role, "define") ? (
    <a class="button" href={`${path}?new`}>
      New {one}
    </a>
  ) : null;
  const heads = [
    "Name",
    "Key",
    ...(kind === "form" ? ["State"] : []),
    { name: Items, number: true },
    "Last one",
    ...(make ? [{ name: <span class="unseen">Fields</span> }] : []),
  ];
  return (
    <AdminPage {...dataAssets} frame={frame} title={many} acts={make}>
      {found.length === 0 ? (
        <Empty>
          <p>There is no {one} yet.</p>
          {make ? <p>{make}</p> : <p>Owners, admins and editors can make one.</p>}
        </Empty>
      ) : (
        <Table caption={many} heads={heads}>
          {found.map((each) => (
            <Row {...{ each, kind, frame, defines: make !== null }} />
          ))}
        </Table>
      )}
    </AdminPage>
  );
}
