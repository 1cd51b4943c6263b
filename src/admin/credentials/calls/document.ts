import { stamp } from "../../../domain/time";
import type { LoggedCall } from "../../../gate/call-log";

/** A call as scripts read it; why it was refused stands there where it was. */
export function callDocument(
  { at, method, path, status, milliseconds, ...call }: LoggedCall,
  reason: string,
) {
  const { code, permission, wrong } = call.refusal ?? {};
  return {
    at: stamp(at),
    method,
    path,
    status,
    milliseconds,
    request_id: call.requestId,
    ...(code ? { code, detail: reason } : {}),
    ...(permission ? { required_permission: permission } : {}),
    ...(wrong && wrong.length > 0 ? { errors: wrong } : {}),
  };
}
