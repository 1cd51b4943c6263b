import type { Credential } from "../../../domain/credential/credential";
import { countCalls } from "../../../domain/credential/usage";
import { Badge } from "../../../html/parts/badge";
import { showCount } from "../../../html/show-count";
import { Time } from "../../../html/time";
import { useReader } from "../../../html/reader";
import { accessInWords } from "../access/access-in-words";
import { kindNames } from "../words";
import { stateNames, stateOf } from "../state";

const day = 24 * 60 * 60 * 1000;

export function Row({ credential }: { credential: Credential }) {
  const { id, name, kind, lastUsedAt, expiresAt, usage } = credential;
  const { now } = useReader();
  const counts = countCalls(usage, "hours", now - day);
  const [state, tone] = stateNames[stateOf(credential, now)];
  return (
    <tr>
      <th scope="row">
        <a href={`/admin/integrations/${id}`}>{name}</a>
      </th>
      <td class="less nowrap">{kindNames[kind]}</td>
      <td class="why full">{accessInWords(credential)}</td>
      <td data-label="Used">
        {lastUsedAt === null ? "not yet" : <Time at={lastUsedAt} as="distance" />}
      </td>
      <td class="number" data-label="24 h">
        <Requests {...counts} />
      </td>
      <td data-label="Expires">
        {expiresAt === null ? "never" : <Time at={expiresAt} as="day" />}
      </td>
      <td>
        <Badge tone={tone}>{state}</Badge>
      </td>
    </tr>
  );
}

/** How many, and how large a part was refused. */
function Requests({ requests, refusals }: { requests: number; refusals: number }) {
  const width = 48;
  const bad = requests === 0 ? 0 : Math.max(refusals > 0 ? 3 : 0, (refusals / requests) * width);
  return (
    <span class="nowrap">
      {showCount(requests)}
      {refusals > 0 ? <span class="muted">{`, ${showCount(refusals)} refused`}</span> : null}
      <svg class="meter less" viewBox={`0 0 ${width} 8`} aria-hidden="true">
        <rect class={requests > 0 ? "used" : undefined} width={width} height={8} rx={2} />
        <rect class="bad" width={bad} height={8} rx={2} />
      </svg>
    </span>
  );
}
