import { showCount } from "../../html/show-count";

/** How far the search entries and formulas are. */
export function Indexing({ done, total }: { done: number; total: number }) {
  return (
    <div class="notice quiet" role="status">
      <label>
        Search entries and formulas are brought up to date: {showCount(done)} of {showCount(total)}
        <progress value={done} max={total} data-refresh="" />
      </label>
    </div>
  );
}
