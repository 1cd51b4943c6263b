import type { ItemView } from "../../../domain/item/item-view";
import { Id } from "../../../html/parts/id";
import { Time } from "../../../html/time";
import type { Frame } from "../../frame/frame";
import { By } from "./by";

export function About({ view, frame }: { view: ItemView; frame: Frame }) {
  const changed = view.version > 1;
  return (
    <dl class="about">
      <dt>Id</dt>
      <dd>
        <Id of={view.id} />
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={view.createdAt} />
        <small>
          by <By actor={view.createdBy} frame={frame} />
        </small>
      </dd>
      <dt>Changed</dt>
      <dd>
        {changed ? <Time at={view.updatedAt} /> : "never"}
        {changed ? (
          <small>
            by <By actor={view.updatedBy} frame={frame} />, version {view.version}
          </small>
        ) : null}
      </dd>
    </dl>
  );
}
