import type { ItemView } from "../../../domain/item/item-view";
import { Act } from "../../../html/act";

export function Acts({ at, view }: { at: string; view: ItemView }) {
  const values = { $version: String(view.version) };
  const { status } = view;
  return (
    <>
      {status === "closed" ? (
        <Act action={`${at}/reopen`} name="Reopen" quiet values={values} />
      ) : (
        <a class="button" href={`${at}?edit`}>
          Edit
        </a>
      )}
      {status === "submitted" ? (
        <Act action={`${at}/close`} name="Close" quiet values={values} />
      ) : null}
      {status === "draft" || status === "submitted" ? (
        <Act
          action={`${at}/delete`}
          name="Delete"
          title="Delete this submission?"
          confirm="All that it says is lost for good; nothing brings it back."
          values={values}
        />
      ) : null}
    </>
  );
}
