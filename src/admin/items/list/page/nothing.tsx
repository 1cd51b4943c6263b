import { may } from "../../../../domain/credential/roles";
import { Empty } from "../../../../html/parts/empty";
import { words } from "../../../definitions/words";
import { isNarrowed } from "../query";
import { mayAdd, type ItemsShown } from "./items-shown";

export function Nothing(shown: ItemsShown) {
  const { collection, query, next, problem, frame } = shown;
  const { items, item, path } = words[collection.kind];
  const base = `${path}/${collection.key}`;
  if (problem) return null;
  if (next !== null) {
    return <Empty>None among those that were looked at so far; the next page looks further.</Empty>;
  }
  if (isNarrowed(query)) {
    return (
      <Empty>
        <p>No {item} matches.</p>
        <p>
          <a class="button quiet" href={`${base}/items`}>
            Show all {items}
          </a>
        </p>
      </Empty>
    );
  }
  if (collection.definition.fields.fields.length === 0) {
    return (
      <Empty>
        <p>There are no fields yet, so there is nothing to fill in.</p>
        {may(frame.member.role, "define") ? (
          <p>
            <a class="button" href={base}>
              Add fields
            </a>
          </p>
        ) : null}
      </Empty>
    );
  }
  return (
    <Empty>
      <p>There are no {items} yet.</p>
      {mayAdd(shown) ? (
        <p>
          <a class="button" href={`${base}/items/new`}>
            New {item}
          </a>
        </p>
      ) : null}
    </Empty>
  );
}
