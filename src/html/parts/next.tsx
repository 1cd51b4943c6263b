/** The way to what comes next, where there is more. */
export function Next({ href, name }: { href: string | null; name: string }) {
  return href === null ? null : (
    <p>
      <a class="button quiet" href={href} rel="next">
        {name}
      </a>
    </p>
  );
}
