import { isNearlyFull, shareOfLimit } from "./database-size.ts";

/** The events that the service logs besides requests. docs/deployment.md explains each one to operators. */

export type LogLevel = "log" | "warn" | "error";

export interface LogPort {
  log(line: string, level?: LogLevel): void;
}

/** Maps each failure from which the service recovers to its old name, which is also logged until version 0.2. */
export const oldFailureNames = {
  "credential object unreachable": "credential object unreachable",
  "fallback of the limits unreachable": "fallback of the limits unreachable",
  "credential read failed": "credential unreadable",
  "credential push failed": "credential object not told of a change",
  "authentication limiter unavailable": "failures cannot be counted",
  "anonymous body limiter unavailable": "anonymous body limiter unavailable",
  "sign-in limiter unavailable": "attempts cannot be counted",
  "admin limiter unavailable": "changes of members cannot be counted",
  "replay cache unreadable": "replay cache unreadable",
  "replay cache unwritable": "replay cache unwritable",
  "cache of definitions unreadable": "cache of definitions unreadable",
  "limiter of links unavailable": "limiter of links unavailable",
  "content of a file unreadable": "content of a file unreadable",
  "call report failed": "calls not logged",
  "counts of calls unreadable": "counts of calls unreadable",
  "log of calls unreadable": "log of calls unreadable",
  "background work failed": "work behind an answer failed",
  "webhook object unreachable": "webhook object",
} as const;

export type RecoveredFailure = keyof typeof oldFailureNames;

// The following functions log each error under its new and its old name. Version 0.2 drops the old names.

/** Logs an internal error. `error` is a stack trace and must not contain values of a request. */
export function logInternalError(logger: LogPort, fields: { request_id: string } & Fields): void {
  writeEvent(logger, "error", fields);
  writeEvent(logger, "fault", fields);
}

/** Logs an error from which the service recovered. */
export function logRecovered(logger: LogPort, failure: RecoveredFailure, error: unknown): void {
  writeEvent(logger, "recovered", { what: failure, error: String(error) });
  writeEvent(logger, "mended", { what: oldFailureNames[failure], error: String(error) });
}

/** Logs an error that stopped the deliveries of a webhook. They resume at the webhook's next alarm. */
export function logWebhookError(logger: LogPort, webhook: string, error: unknown): void {
  const fields = { webhook, error: String(error) };
  writeEvent(logger, "webhook_error", fields, "error");
  writeEvent(logger, "webhook", fields, "error");
}

/** Logs settings that make the service reject requests. */
export function logMisconfiguration(logger: LogPort, what: string): void {
  logger.log(JSON.stringify({ event: "misconfigured", what }));
}

/** Logs how full a database is, for alerts: a warning near the limit. */
export function logDatabaseSize(
  logger: LogPort,
  fields: { database: string; bytes: number; collections: number },
): void {
  const percent = Math.round(100 * shareOfLimit(fields.bytes));
  const level = isNearlyFull(fields.bytes) ? "warn" : "log";
  writeEvent(logger, "database", { ...fields, percent_full: percent }, level);
}

/** Logs a database that has apps and forms, or may get some, but is not bound in this deployment. */
export function logMissingDatabase(logger: LogPort, fields: { database: string }): void {
  writeEvent(logger, "database_missing", fields, "error");
}

type Fields = Record<string, unknown>;

function writeEvent(logger: LogPort, event: string, fields: Fields, level?: LogLevel): void {
  logger.log(JSON.stringify({ event, ...fields }), level);
}
