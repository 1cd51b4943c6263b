/** Text to take away, with a button that copies it where scripts run. */
export function Copyable({ id, text }: { id: string; text: string }) {
  return (
    <div class="copyable">
      <pre tabindex={0}>
        <code id={id}>{text}</code>
      </pre>
      <button type="button" class="quiet little" data-copy={id} hidden>
        Copy
      </button>
    </div>
  );
}
