/** Whose page this is, for those who see no side bar. */
export function Mark() {
  return (
    <p class="mark">
      <img src="/assets/icon.svg" alt="" width="20" height="20" />
      Edge Forms
    </p>
  );
}
