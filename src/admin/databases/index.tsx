import { Hono } from "hono";
import { listDatabases, type DatabaseStatus } from "#actions/databases.ts";
import { isNearlyFull, maxDatabaseBytes, shareOfLimit } from "#domain/database-size.ts";
import { formatTimestamp } from "#domain/time.ts";
import { Badge, Table } from "#html/parts.tsx";
import { formatBytes, formatCount, Time } from "#html/viewer.tsx";
import type { AdminEnv } from "#http/env.ts";
import { AdminPage } from "#admin/layout.tsx";
import { page, requireAbility } from "#admin/page.ts";
import { nameLocation } from "./locations.ts";

/** Two decimals below one percent, so that a small database does not seem empty. */
export function formatShare(bytes: number): string {
  const percent = 100 * shareOfLimit(bytes);
  return `${percent.toFixed(percent < 1 ? 2 : 0)} %`;
}

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
  const place = location === null ? null : nameLocation(location);
  return (
    <tr>
      <th scope="row">
        <code>{name}</code> {isHome ? <small>Home database</small> : null}
      </th>
      <td data-label="Location">{place ?? report?.region ?? "–"}</td>
      <td class="number" data-label="Size">
        {report ? formatBytes(report.bytes) : "–"}
      </td>
      <td class="number" data-label="Of 10 GB">
        {report ? formatShare(report.bytes) : "–"}{" "}
        {report && isNearlyFull(report.bytes) ? <Badge tone="warn">Nearly full</Badge> : null}
      </td>
      <td class="number" data-label="Apps and forms">
        {report ? formatCount(report.collections) : "–"}
      </td>
      <td class="number" data-label="Writes a minute">
        {report ? formatCount(report.writesPerMinute) : "–"}
      </td>
      <td class="muted" data-label="Reported">
        {report ? <Time at={report.reportedAt} as="distance" /> : "Not yet"}
      </td>
    </tr>
  );
}

const databasesPage = page({
  load: ({ ctx }) => listDatabases(ctx),
  document: (databases) => ({
    limit_bytes: maxDatabaseBytes,
    items: databases.map(databaseDocument),
  }),
  render: (frame, databases) => (
    <AdminPage frame={frame} title="Databases">
      <Table
        caption="Databases"
        columns={[
          "Database",
          "Location",
          { name: "Size", number: true },
          { name: "Of 10 GB", number: true },
          { name: "Apps and forms", number: true },
          { name: "Writes a minute", number: true },
          "Reported",
        ]}
      >
        {databases.map((database) => (
          <DatabaseRow {...database} />
        ))}
      </Table>
      <p class="muted small">Databases report each minute.</p>
      <h2>Add a database</h2>
      {databases.length === 1 ? (
        <p>
          One database holds 10 GB and writes one batch at a time. Add another when it is 70 % full,
          or to keep the data of a form in a jurisdiction.
        </p>
      ) : (
        <p>New apps and forms go to the database with the most room, or to the chosen location.</p>
      )}
      <p>
        Run <code>npm run databases -- add --jurisdiction eu</code> where you deploy.{" "}
        <a href="/docs/databases">How large can one installation grow?</a>
      </p>
    </AdminPage>
  ),
});

/** The databases of the installation, under Settings. */
export const databaseRoutes = () =>
  new Hono<AdminEnv>().use(requireAbility("databases")).get("/", databasesPage.show);
