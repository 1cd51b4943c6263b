import { showCount } from "../../../html/show-count";
import type { LoggedCall } from "../../../gate/call-log";
import { Mend } from "./row";

const mostReasons = 4;

/** What stands behind most refusals, with what mends it. */
export function Why({
  calls,
  path,
}: {
  calls: readonly { call: LoggedCall; reason: string }[];
  path: string | undefined;
}) {
  const groups = new Map<string, { count: number; permission: string | undefined }>();
  for (const { call, reason } of calls) {
    if (reason === "") continue;
    const { count } = groups.get(reason) ?? { count: 0 };
    groups.set(reason, { count: count + 1, permission: call.refusal?.permission });
  }
  const most = [...groups].toSorted(([, a], [, b]) => b.count - a.count).slice(0, mostReasons);
  return most.length === 0 ? null : (
    <section class="card">
      <h2>Why calls failed</h2>
      <ul class="reasons">
        {most.map(([reason, { count, permission }]) => (
          <li>
            <strong>{showCount(count)} ×</strong> {reason}{" "}
            <Mend permission={permission} path={path} />
          </li>
        ))}
      </ul>
    </section>
  );
}
