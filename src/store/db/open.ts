import type { Timing } from "#domain/ports.ts";
import { originalTimeline } from "#domain/timeline.ts";
import { makeDatabases, type Databases } from "./database.ts";
import { Session, type nearest, type primary } from "./session.ts";

/** An installation's databases, queried at their primaries. */
export interface PrimaryDatabases extends Databases {
  /**
   * Opens a session whose reads a replica may serve. If home and data are two databases, only the data database has
   * replica reads and versions. The home database is queried at its primary, because bookmarks are valid for one database.
   */
  openSession(from: typeof primary | typeof nearest): Session;
}

/**
 * The only place that creates handles from D1 bindings. Collections are in the data database if there is one.
 * Otherwise they share a database with the home tables.
 */
export function openDatabases(
  { home, data = home }: { home: D1Database; data?: D1Database | undefined },
  timing: Timing,
  timeline = originalTimeline,
): PrimaryDatabases {
  return {
    ...makeDatabases(home, data, timing, timeline),
    openSession: (from) =>
      new Session(data, from, (session) =>
        makeDatabases(data === home ? session : home, session, timing, timeline),
      ),
  };
}
