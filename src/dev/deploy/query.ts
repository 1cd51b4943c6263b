import type { AuditAction } from "#domain/audit.ts";
import type { Cloudflare } from "./cloudflare.ts";
import type { Deployment } from "./deployment.ts";
import { stop } from "./wrangler.ts";

/** Runs statements in deployed databases. */

/** A database of the account. */
export interface Database {
  name: string;
  uuid: string;
  jurisdiction?: string | null;
}

export const listDatabases = (cloudflare: Cloudflare) => cloudflare.list<Database>("/d1/database");

interface StatementResult<Row> {
  results: Row[];
  meta: { size_after?: number };
}

/** Runs statements in a database in one transaction. Returns an error to the caller instead of stopping. */
export const runStatements = <Row>(cloudflare: Cloudflare, id: string, sql: string) =>
  cloudflare.attempt<StatementResult<Row>[]>("POST", `/d1/database/${id}/query`, { body: { sql } });

/**
 * Runs statements in a database of a deployment. Returns the result of the first one. Returns an empty result after an
 * expected error.
 */
export async function queryDatabase<Row>(
  { settings, cloudflare }: Pick<Deployment, "settings" | "cloudflare">,
  binding: string,
  sql: string,
  mayFail?: RegExp,
): Promise<StatementResult<Row>> {
  const database = settings.d1_databases.find((each) => each.binding === binding);
  const outcome = await runStatements<Row>(cloudflare, database?.database_id ?? "", sql);
  if ("error" in outcome && !mayFail?.test(outcome.error.message))
    stop(`${binding} rejected a statement: ${outcome.error.message}\n${sql.slice(0, 1000)}`);
  const [first] = "error" in outcome ? [] : outcome.result;
  return first ?? { results: [], meta: {} };
}

/** Returns a text as an SQL literal. */
export const quote = (text: string | null): string =>
  text === null ? "NULL" : `'${text.replaceAll("'", "''")}'`;

/**
 * Returns a statement that adds an entry to the audit log of the home database. With a condition, it adds the entry
 * only if the condition is true.
 */
export const insertAuditEntry = (
  {
    at,
    action,
    subject,
    command,
  }: { at: number; action: AuditAction; subject: string; command: string },
  condition = "true",
): string => `INSERT INTO audit_entry (at, actor, action, subject, request_id)
  SELECT max(${at}, coalesce((SELECT at FROM audit_entry ORDER BY id DESC LIMIT 1), 0)), 'system', '${action}',
    ${quote(subject)}, '${command}' WHERE ${condition}`;
