import { permissions, type Permission } from "../../../domain/credential/permissions";
import { isRefused, type LoggedCall } from "../../../gate/call-log";
import { Badge, type Tone } from "../../../html/parts/badge";
import { Id } from "../../../html/parts/id";
import { useReader } from "../../../html/reader";
import { Time } from "../../../html/time";

function tone(status: number): Tone {
  if (status < 400) return "good";
  return isRefused({ status }) || status >= 500 ? "bad" : "warn";
}

export function Row({
  call,
  reason,
  path,
}: {
  call: LoggedCall;
  reason: string;
  path: string | undefined;
}) {
  const { at, method, status, milliseconds, requestId, refusal } = call;
  return (
    <tr>
      <td>
        <Time at={at} as={useReader().now - at < 20 * 60 * 60 * 1000 ? "clock" : "time"} />
      </td>
      <td class="call full">
        <code title={`${method} ${call.path}`}>
          {method} {call.path.replace(/^\/api\/v1/, "")}
        </code>
      </td>
      <td class="nowrap">
        <Badge tone={tone(status)}>{status}</Badge>{" "}
        {refusal ? <code class="muted less">{refusal.code}</code> : null}
      </td>
      <td class={reason === "" ? "why" : "why full"}>
        {reason} <Mend permission={refusal?.permission} path={path} />
      </td>
      <td class="number less">{milliseconds}</td>
      <td class="less nowrap">
        <Id of={requestId} shown={requestId.slice(0, 8)} />
      </td>
    </tr>
  );
}

const isPermission = (name: string): name is Permission =>
  (permissions as readonly string[]).includes(name);

/** The way to what was missing. */
export function Mend({
  permission,
  path,
}: {
  permission: string | undefined;
  path: string | undefined;
}) {
  if (permission === undefined || path === undefined || !isPermission(permission)) return null;
  return <a href={`${path}/access?add=${permission}`}>Add permission</a>;
}
