/** The way to where this page hangs. */
export function Crumbs({ to }: { to: readonly (readonly [name: string, href: string])[] }) {
  return (
    <nav class="crumbs" aria-label="Breadcrumbs">
      <ol>
        {to.map(([name, href]) => (
          <li>
            <a href={href}>{name}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
