/** The events that the service logs besides requests. docs/deployment.md explains each one to operators. */

export interface LogPort {
  log(line: string, level?: "error"): void;
}

/** Maps each failure from which the service recovers to its text before version 0.2. */
export const recoveredFailures = {
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
  "call report failed": "calls not logged",
  "log of calls unreadable": "log of calls unreadable",
  "background work failed": "work behind an answer failed",
  "webhook object unreachable": "webhook object",
} as const;

export type RecoveredFailure = keyof typeof recoveredFailures;

/** Logs an internal error. `error` is a stack trace, which never contains values of a request. */
export function logInternalError(to: LogPort, fields: { request_id: string } & Fields): void {
  writeEvent(to, "error", fields);
  writeEvent(to, "fault", fields);
}

/** Logs an error from which the service recovered. */
export function logRecovered(to: LogPort, what: RecoveredFailure, error: unknown): void {
  writeEvent(to, "recovered", { what, error: String(error) });
  writeEvent(to, "mended", { what: recoveredFailures[what], error: String(error) });
}

/** Logs an error that stopped the deliveries of a webhook. They resume at the webhook's next alarm. */
export function logWebhookError(to: LogPort, webhook: string, error: unknown): void {
  const fields = { webhook, error: String(error) };
  writeEvent(to, "webhook_error", fields, "error");
  writeEvent(to, "webhook", fields, "error");
}

/** Logs invalid settings because of which the service rejects requests. */
export function logMisconfiguration(to: LogPort, what: string): void {
  to.log(JSON.stringify({ event: "misconfigured", what }));
}

type Fields = Record<string, unknown>;

/** Callers log each error under its new and its old name. Version 0.2 drops the old names. */
function writeEvent(to: LogPort, event: string, fields: Fields, level?: "error"): void {
  to.log(JSON.stringify({ event, ...fields }), level);
}
