import type { ItemView } from "../../../../domain/item/item-view";

export function Buttons({ kind, view }: { kind: "app" | "form"; view: ItemView | undefined }) {
  if (kind === "app" || view?.status === "submitted") {
    return <button type="submit">{view ? "Save changes" : "Save record"}</button>;
  }
  return (
    <>
      <button type="submit" name="$status" value="submitted">
        Submit
      </button>
      <button type="submit" name="$status" value="draft" class="quiet" formnovalidate>
        {view ? "Save draft" : "Keep as a draft"}
      </button>
    </>
  );
}
