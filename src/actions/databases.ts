import { loadReports, type DatabaseReport } from "#store/home/database-reports.ts";
import { homeName } from "#domain/bookmarks.ts";
import { listSites } from "#store/home/placements.ts";
import type { ReadContext } from "./context.ts";
import type { MemberContext } from "./members.ts";

/** A bound database. Without a report, the schedule has not run since the database was added. */
export interface DatabaseStatus {
  name: string;
  isHome: boolean;
  /** A jurisdiction or a location hint. Null if the operator has configured none. */
  location: string | null;
  report: Omit<DatabaseReport, "name"> | null;
}

/** Lists the bound databases, the home database first. */
export async function listDatabases({ databases }: MemberContext): Promise<DatabaseStatus[]> {
  const { reports, sites } = await loadReports(databases.home);
  const reportsByName = new Map(reports.map(({ name, ...report }) => [name, report]));
  const locations = new Map(sites.map(({ name, location }) => [name, location]));
  const names = databases.dataDatabases().map(({ name }) => name);
  const dataNames = names.filter((name) => name !== homeName).toSorted();
  return [homeName, ...dataNames].map((name) => ({
    name,
    isHome: name === homeName,
    location: locations.get(name) ?? null,
    report: reportsByName.get(name) ?? null,
  }));
}

/** Lists the locations for the data of new collections. Empty for an installation with a single database. */
export async function listLocations(ctx: ReadContext): Promise<string[]> {
  if (!ctx.databases.directory) return [];
  const sites = await listSites(ctx.databases, ctx.now());
  return [...new Set(sites.flatMap(({ location }) => location ?? []))].toSorted();
}
