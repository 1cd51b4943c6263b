/** An id that is shown short and copied whole. */
export function Id({ of, shown }: { of: string; shown?: string }) {
  return (
    <code class="id" title={of} data-copy-text={of}>
      {shown ?? (of.length > 12 ? `…${of.slice(-8)}` : of)}
    </code>
  );
}
