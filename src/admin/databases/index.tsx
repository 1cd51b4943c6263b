import { Hono } from "hono";
import { listDatabases, type DatabaseStatus } from "#actions/databases.ts";
import { listMoves } from "#actions/request-move.ts";
import {
  addDatabaseCommand,
  isNearlyFull,
  maxDatabaseBytes,
  shareOfLimit,
} from "#domain/database-size.ts";
import { formatTimestamp } from "#domain/time.ts";
import { Badge, Table } from "#html/parts.tsx";
import {
  Count,
  formatBytes,
  formatPercent,
  formatSmallPercent,
  Time,
  useViewer,
  type Viewer,
} from "#html/viewer.tsx";
import type { AdminEnv } from "#http/env.ts";
import { useText } from "#admin/language/index.tsx";
import { AdminPage } from "#admin/layout.tsx";
import { page, requireAbility } from "#admin/page.ts";
import { nameLocation } from "./locations.ts";
import { MoveList, moveDocument } from "./move-list.tsx";
import { moveForm, databasesPath } from "./move-page.tsx";

/** Formats a share with two decimals below one percent, so that a small database does not seem empty. */
const formatShare = (viewer: Viewer, share: number): string =>
  share < 0.01 ? formatSmallPercent(viewer, share) : formatPercent(viewer, share);

function databaseDocument({ name, location, report }: DatabaseStatus) {
  return {
    name,
    location,
    region: report?.region ?? null,
    bytes: report?.bytes ?? null,
    share: report ? shareOfLimit(report.bytes) : null,
    nearly_full: report ? isNearlyFull(report.bytes) : false,
    collections: report?.collections ?? null,
    writes_per_minute: report?.writesPerMinute ?? null,
    reported_at: report ? formatTimestamp(report.reportedAt) : null,
  };
}

function DatabaseRow({ name, isHome, location, report }: DatabaseStatus) {
  const text = useText().databases;
  const viewer = useViewer();
  const { columns } = text;
  return (
    <tr>
      <th scope="row">
        <code>{name}</code> {isHome ? <small>{text.home}</small> : null}
      </th>
      <td data-label={columns.location}>
        {location === null ? (report?.region ?? "–") : nameLocation(text.locations, location)}
      </td>
      <td class="number" data-label={columns.size}>
        {report ? formatBytes(viewer, report.bytes) : "–"}
      </td>
      <td class="number" data-label={columns.share}>
        {report ? formatShare(viewer, shareOfLimit(report.bytes)) : "–"}{" "}
        {report && isNearlyFull(report.bytes) ? <Badge tone="warn">{text.nearlyFull}</Badge> : null}
      </td>
      <td class="number" data-label={columns.collections}>
        {report ? <Count of={report.collections} /> : "–"}
      </td>
      <td class="number" data-label={columns.writes}>
        {report ? <Count of={report.writesPerMinute} /> : "–"}
      </td>
      <td class="muted" data-label={columns.reported}>
        {report ? <Time at={report.reportedAt} as="distance" /> : text.notYet}
      </td>
    </tr>
  );
}

const databasesPage = page({
  async load({ ctx }) {
    const [databases, moves] = await Promise.all([listDatabases(ctx), listMoves(ctx)]);
    return { databases, moves };
  },
  document: ({ databases, moves }) => ({
    limit_bytes: maxDatabaseBytes,
    items: databases.map(databaseDocument),
    moves: moves.map(moveDocument),
  }),
  render(frame, { databases, moves }) {
    const { title, columns, note, add } = frame.text.databases;
    const { move, moveLink } = frame.text.moves;
    return (
      <AdminPage
        frame={frame}
        title={title}
        crumbs={[[frame.text.frame.pages.settings, "/admin/settings"]]}
      >
        <Table
          caption={title}
          columns={[
            columns.database,
            columns.location,
            { name: columns.size, number: true },
            { name: columns.share, number: true },
            { name: columns.collections, number: true },
            { name: columns.writes, number: true },
            columns.reported,
          ]}
        >
          {databases.map((database) => (
            <DatabaseRow {...database} />
          ))}
        </Table>
        <p class="muted small">{note}</p>
        <MoveList moves={moves} place={databasesPath} />
        {databases.length > 1 ? (
          <p>{moveLink(<a href={`${databasesPath}/move`}>{move}</a>)}</p>
        ) : null}
        <h2>{add.title}</h2>
        <p>{databases.length === 1 ? add.single : add.several}</p>
        <p>
          <a href="/docs/databases">{add.guide}</a>
        </p>
        <details>
          <summary>{add.operators}</summary>
          <p>{add.command(<code>{addDatabaseCommand}</code>)}</p>
        </details>
      </AdminPage>
    );
  },
});

/** The databases of the installation, under Settings. */
export const databaseRoutes = () =>
  new Hono<AdminEnv>()
    .use(requireAbility("databases"))
    .get("/", databasesPage.show)
    .get("/move", moveForm.show)
    .post("/move", moveForm.start)
    .post("/moves/:id/stop", moveForm.stop);
