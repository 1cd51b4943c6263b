import { isRefused, recentCalls, type CallLog, type LoggedCall } from "../../../gate/call-log";
import type { CallFilter } from "./filters";

/** The calls that are asked for, oldest first. */
export function filterCalls(log: CallLog, { status, find }: CallFilter, now: number): LoggedCall[] {
  const text = find.trim().toLowerCase();
  return recentCalls(log, now).filter(
    (call) =>
      hasStatus(call, status) &&
      (text === "" ||
        call.path.toLowerCase().includes(text) ||
        call.requestId.toLowerCase().startsWith(text)),
  );
}

function hasStatus(call: LoggedCall, status: string): boolean {
  if (status === "") return true;
  if (status === "refused") return isRefused(call);
  return status === "failed" ? call.status >= 400 : String(call.status) === status;
}
