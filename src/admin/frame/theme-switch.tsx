const themes = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

export function ThemeSwitch({ theme, back }: { theme: string; back: string }) {
  return (
    <form method="post" action="/admin/preferences" class="switch" aria-label="Theme">
      <input type="hidden" name="back" value={back} />
      {themes.map(([value, name]) => (
        <button
          type="submit"
          name="theme"
          value={value}
          aria-pressed={theme === value ? "true" : "false"}
        >
          {name}
        </button>
      ))}
    </form>
  );
}
