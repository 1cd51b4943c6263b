const mostCharacters = 80;

export function cut(text: string): string {
  const characters = Array.from(text.slice(0, mostCharacters * 4));
  return characters.length > mostCharacters
    ? `${characters.slice(0, mostCharacters).join("")}…`
    : text;
}
