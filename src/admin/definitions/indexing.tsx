/** How far the search entries and formulas are. */
export function Indexing({ done, total }: { done: number; total: number }) {
  return (
    <div class="notice quiet" role="status">
      <label>
        Search entries and formulas are brought up to date: {done} of {total}
        <progress value={done} max={total} data-refresh="" />
      </label>
    </div>
  );
}
