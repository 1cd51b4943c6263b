/** Views of one thing. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: readonly (readonly [name: string, href: string])[];
  /** The name of the one that is shown. */
  current: string;
}) {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map(([name, href]) => (
          <li>
            <a href={href} aria-current={name === current ? "page" : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
