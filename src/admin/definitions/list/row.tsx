import type { CollectionKind } from "../../../domain/definition/collection";
import { showCount } from "../../../html/show-count";
import { Time } from "../../../html/time";
import type { Glance } from "../../../store/definitions/glance";
import type { Frame } from "../../frame/frame";
import { words } from "../words";
import { State } from "./state";

export function Row({
  each,
  kind,
  frame,
  defines,
}: {
  each: Glance;
  kind: CollectionKind;
  frame: Frame;
  defines: boolean;
}) {
  const { path, items } = words[kind];
  const { key, name, description, live, lastItemAt } = each;
  return (
    <tr>
      <th scope="row">
        <a href={`${path}/${key}/items`}>{name}</a>
        {description ? <small class="cut">{description}</small> : null}
      </th>
      <td class="less">
        <code>{key}</code>
      </td>
      {kind === "form" ? (
        <td>
          <State each={each} now={frame.reader.now} />
        </td>
      ) : null}
      <td class="number" data-label={words[kind].Items}>
        {showCount(live)}
        <span class="unseen"> {items}</span>
      </td>
      <td class="muted" data-label="Last one">
        {lastItemAt === null ? "–" : <Time at={lastItemAt} as="distance" />}
      </td>
      {defines ? (
        <td class="end">
          <a href={`${path}/${key}`} aria-label={`Fields of ${name}`}>
            Fields
          </a>
        </td>
      ) : null}
    </tr>
  );
}
