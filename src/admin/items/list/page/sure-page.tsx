import type { Collection } from "../../../../domain/definition/collection";
import type { ItemView } from "../../../../domain/item/item-view";
import { words } from "../../../definitions/words";
import type { Frame } from "../../../frame/frame";
import { AdminPage } from "../../../frame/layout";
import { dataAssets } from "../../../definitions/assets";
import { titleOf } from "../../item/title";
import { StatusBadge } from "../../status";

/** Asks before submissions are deleted, naming each of them. */
export function SurePage({
  frame,
  collection,
  views,
  back,
}: {
  frame: Frame;
  collection: Collection;
  views: readonly ItemView[];
  back: string;
}) {
  const { kind, definition } = collection;
  const count = `${views.length} ${views.length === 1 ? "submission" : "submissions"}`;
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={`Delete ${count}?`}
      crumbs={[
        [words[kind].many, words[kind].path],
        [definition.name, back],
      ]}
    >
      <p>
        All that they say is lost for good; nothing brings it back. Closed ones are left as they
        are.
      </p>
      <ul>
        {views.map((view) => (
          <li>
            <a href={`${back}/${view.id}`}>{titleOf(view, definition.fields.fields)}</a>{" "}
            <StatusBadge status={view.status} />
          </li>
        ))}
      </ul>
      <form method="post" action={`${back}/selected`} class="actions">
        {views.map(({ id }) => (
          <input type="hidden" name="ids" value={id} />
        ))}
        <input type="hidden" name="act" value="delete" />
        <button type="submit" name="sure" value="yes" class="sure">
          Delete {count}
        </button>
        <a class="button quiet" href={back}>
          Cancel
        </a>
      </form>
    </AdminPage>
  );
}
