const longest = 40;

/** A key that a label stands for: small letters, digits and underscores, and none of those that are taken. */
export function makeKey(label: string, otherwise: string, taken: ReadonlySet<string>): string {
  const plain = label
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("ø", "o")
    .replaceAll("æ", "ae")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, longest)
    .replace(/_+$/, "");
  const key = plain === "" ? otherwise : plain;
  if (!taken.has(key)) return key;
  for (let count = 2; ; count += 1) if (!taken.has(`${key}_${count}`)) return `${key}_${count}`;
}
