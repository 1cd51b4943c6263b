const acts: [act: string, path: string, name: string][] = [
  ["up", "M8 13V3M4 7l4-4 4 4", "Move up"],
  ["down", "M8 3v10M4 9l4 4 4-4", "Move down"],
  ["copy", "M6 6h7v7H6zM3 10V3h7", "Duplicate"],
  ["remove", "M4 4l8 8M12 4l-8 8", "Remove"],
];

export function Buttons({ at, label }: { at: string; label: string }) {
  return (
    <span class="acts">
      {acts.map(([act, path, name]) => (
        <button
          type="submit"
          class="quiet little"
          name="do"
          value={`${act}:${at}`}
          formnovalidate
          aria-label={`${name}: ${label}`}
          title={name}
        >
          <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
            <path d={path} />
          </svg>
        </button>
      ))}
    </span>
  );
}
