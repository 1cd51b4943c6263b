import type { AppEnv, RequestContext } from "./env.ts";
import type { CallError } from "#domain/credential/call-log.ts";
import type { GateReport } from "#gate/state.ts";
import type { WriteReport } from "#gate/pending-writes.ts";
import { logRecovered } from "#domain/events.ts";
import { type FieldError, Problem } from "#domain/problem/problem.ts";
import { problems, type ProblemCode } from "#domain/problem/catalogue.ts";
import type { Context } from "hono";
import { memoryPart, type Memory } from "#domain/memory.ts";
import type { Clock, Timeouts, Timing } from "#domain/ports.ts";
import { withTimeout } from "#store/db/retry.ts";
import type { GateStub } from "#gate/gate.ts";

interface PendingReport extends GateReport {
  /** The time to send the report if no request carries it earlier, in milliseconds since 1970. */
  dueAt: number;
  /** The background flush that owns the report, and the time of its next check. */
  flusher: object | undefined;
  flushAt: number;
}

/**
 * Reports that the credentials' objects have not received yet. The credential's next request carries its report, which
 * saves a call. Without a next request, a background flush sends the report.
 */
const pendingReportsIn = memoryPart(() => new Map<string, PendingReport>());
/**
 * The maximum length of each list in a credential's report. Drops further entries, such as a flood of rejected calls.
 */
const maxPendingEntries = 1000;

/**
 * The maximum time for which one request flushes reports after its response. A Worker may run for 30 s after the
 * response.
 */
const maxFlushMs = 15_000;
/** A flush that is later than this will never run. */
const lostFlushAfterMs = 2000;

/** Removes and returns the report that the next call of the object carries. */
export function takeReport(memory: Memory, credentialId: string): GateReport | undefined {
  const pending = pendingReportsIn(memory).get(credentialId);
  return pending && drainReport(pending);
}

function drainReport(pending: PendingReport): GateReport | undefined {
  const { calls, told } = pending;
  Object.assign(pending, { calls: [], told: [], dueAt: Infinity });
  return calls.length + told.length > 0 ? { calls, told } : undefined;
}

/** Puts unsent write reports back for the next request. Drops calls, because the log may already contain them. */
export function requeueReport(memory: Memory, credentialId: string, { told }: GateReport): void {
  if (told.length > 0) addToReport(getOrCreateReport(memory, credentialId), { told });
}

/** The dependencies of reports. */
interface ReportsService {
  memory: Memory;
  clock: Pick<Clock, "now" | "sleep">;
  timeouts: Pick<Timeouts, "refusedReportMs" | "servedReportMs">;
  gates: { getByName(credentialId: string): Pick<GateStub, "note"> };
  log(line: string): void;
}

/**
 * Queues a report for the credential's next request. Without one, a background flush sends the report: urgent ones
 * after `refusedReportMs`, others after `servedReportMs`.
 */
export function queueReport(
  c: { env: ReportsService; executionCtx: Pick<ExecutionContext, "waitUntil"> },
  credentialId: string,
  report: Partial<GateReport>,
  isUrgent = false,
): void {
  const { memory, clock, timeouts } = c.env;
  const pending = getOrCreateReport(memory, credentialId);
  addToReport(pending, report);
  const now = clock.now();
  const dueAt = now + (isUrgent ? timeouts.refusedReportMs : timeouts.servedReportMs);
  if (dueAt < pending.dueAt) pending.dueAt = dueAt;
  const isFlushing = pending.flusher !== undefined && pending.flushAt > now - lostFlushAfterMs;
  if (isFlushing && pending.flushAt <= pending.dueAt) return;
  c.executionCtx.waitUntil(flushWhenDue(c.env, credentialId, pending, now));
}

function getOrCreateReport(memory: Memory, credentialId: string): PendingReport {
  const pendingReports = pendingReportsIn(memory);
  const existing = pendingReports.get(credentialId);
  if (existing) return existing;
  const pending: PendingReport = {
    calls: [],
    told: [],
    dueAt: Infinity,
    flusher: undefined,
    flushAt: 0,
  };
  pendingReports.set(credentialId, pending);
  return pending;
}

function addToReport(pending: GateReport, { calls = [], told = [] }: Partial<GateReport>): void {
  pending.calls.push(...calls.slice(0, maxPendingEntries - pending.calls.length));
  pending.told.push(...told.slice(0, maxPendingEntries - pending.told.length));
}

/** Waits until the report is due, then sends it. One flush serves many requests, so that few of them wait. */
async function flushWhenDue(
  service: ReportsService,
  credentialId: string,
  pending: PendingReport,
  startedAt: number,
): Promise<void> {
  const { clock, memory } = service;
  const thisFlush = {};
  for (let now = startedAt; pending.dueAt < Infinity; now = clock.now()) {
    const continues = now - startedAt < maxFlushMs;
    // A request that arrives after the last flush starts its own flush.
    pending.flusher = continues ? thisFlush : undefined;
    pending.flushAt = pending.dueAt;
    await clock.sleep(pending.dueAt - now);
    // Another request took over with an earlier flush.
    if (continues && pending.flusher !== thisFlush) return;
    const report = pending.dueAt <= clock.now() ? drainReport(pending) : undefined;
    if (report) await sendReport(service, credentialId, report);
    if (!continues) break;
  }
  if (pending.flusher === thisFlush) pending.flusher = undefined;
  // A requeued report waits for the next request.
  const isDone = pending.flusher === undefined && pending.calls.length + pending.told.length === 0;
  const pendingReports = pendingReportsIn(memory);
  if (isDone && pendingReports.get(credentialId) === pending) pendingReports.delete(credentialId);
}

async function sendReport(
  service: ReportsService,
  credentialId: string,
  report: GateReport,
): Promise<void> {
  try {
    await service.gates.getByName(credentialId).note(report);
  } catch (error) {
    logRecovered(service, "call report failed", error);
    requeueReport(service.memory, credentialId, report);
  }
}

/**
 * Reports a write that its object did not admit, before the caller and other clients of the credential rely on the
 * response. While the object stays unreachable, the next request of the credential carries the report.
 */
export async function reportNow(
  service: ReportsService & Timing,
  credentialId: string,
  write: WriteReport,
): Promise<void> {
  const report = { calls: [], told: [write] };
  try {
    await withTimeout(
      service,
      () => service.gates.getByName(credentialId).note(report),
      service.timeouts.storageMs / 2,
    );
  } catch (error) {
    logRecovered(service, "call report failed", error);
    requeueReport(service.memory, credentialId, report);
  }
}

const maxPathLength = 200;
const maxFieldErrors = 5;
const maxNameLength = 80;
const maxParameters = 8;

/** Keeps secrets that a caller put into a URL out of the log. */
const secretPattern = /ef[psa]_[A-Za-z0-9_-]{8,}/g;
const parameterNamePattern = /^[A-Za-z_][\w.[\]-]{0,39}$/;

/** Formats the path of a call with the names of its query parameters, without their values. */
function formatLoggedPath(url: string): string {
  const [address = "", ...search] = url.split("?");
  const pathname = address.slice(address.indexOf("/", address.indexOf("://") + 3));
  const names =
    search.length === 0
      ? []
      : [...new Set(new URLSearchParams(search.join("?")).keys())].slice(0, maxParameters);
  const query = names.map((name) => `${parameterNamePattern.test(name) ? name : "…"}=…`).join("&");
  const path = truncateText(
    pathname.replaceAll(secretPattern, (secret) => `${secret.slice(0, 4)}…`),
    maxPathLength,
  );
  return query === "" ? path : `${path}?${query}`;
}

/** Describes why a call failed. Returns undefined for a successful call. */
function buildCallError(status: number, problem: Problem | undefined): CallError | undefined {
  if (status < 400) return undefined;
  const code = problem?.code ?? codeOfStatus(status);
  const { required_permission: permission, errors, field, reason } = problem?.members ?? {};
  return {
    code,
    ...(typeof permission === "string" ? { permission } : {}),
    ...(Array.isArray(errors) ? { wrong: buildLoggedFieldErrors(errors as FieldError[]) } : {}),
    ...(code === "duplicate" || code === "submissions_closed"
      ? { about: truncateText(String(field ?? reason), maxNameLength) }
      : {}),
  };
}

function buildLoggedFieldErrors(errors: readonly FieldError[]): Required<CallError>["wrong"] {
  return errors.slice(0, maxFieldErrors).map(({ field, code }) => ({
    field: truncateText(
      field.replaceAll(secretPattern, (secret) => `${secret.slice(0, 4)}…`),
      maxNameLength,
    ),
    code,
  }));
}

/** Derives the problem code of an error response that no thrown problem caused. */
function codeOfStatus(status: number): ProblemCode {
  const codes = Object.keys(problems) as ProblemCode[];
  return codes.find((code) => problems[code].status === status) ?? "internal";
}

function truncateText(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/**
 * Queues a log entry for a call that began at `startedAt` and returned `status`.
 * A problem in `loggedTool` takes precedence over `status` and `error`.
 */
export function recordCall(
  c: RequestContext<AppEnv> & Pick<Context, "error">,
  credentialId: string,
  startedAt: number,
  status: number,
  error: unknown = c.error,
): void {
  const { loggedTool, requestId } = c.var;
  const problem = loggedTool?.problem ?? (error instanceof Problem ? error : undefined);
  const loggedStatus = loggedTool?.problem?.status ?? status;
  const callError = buildCallError(loggedStatus, problem);
  const path = formatLoggedPath(c.req.url);
  const call = {
    at: startedAt,
    method: c.req.method,
    path: loggedTool ? `${path} ${loggedTool.name}` : path,
    status: loggedStatus,
    milliseconds: c.env.clock.now() - startedAt,
    requestId,
    ...(callError ? { refusal: callError } : {}),
  };
  queueReport(c, credentialId, { calls: [call] }, loggedStatus >= 400);
}
