/** Names of formats and the like, which are the same in every language. */
const names =
  /\b(?:API|HTTP|ID|JSON|MB|Model Context Protocol|OpenAPI|PUT|Test|URL|UTC|Webhook|application\/pdf|image|Asia\/\w+)\b/g;

/**
 * The English words that people read of a page in Japanese. What its author wrote is in capitals, and code is in
 * elements for code.
 */
export function englishWords(html: string): string[] {
  const main = html
    .slice(html.indexOf("<main"), html.indexOf("</main>"))
    .replaceAll(/<(code|pre|textarea|script)\b.*?<\/\1>/gs, " ");
  const labels = [...main.matchAll(/(?:aria-label|placeholder|title|data-label)="([^"]*)"/g)];
  const words = [main.replaceAll(/<[^>]*>/g, " "), ...labels.map(([, label]) => label)]
    .join(" ")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|&\w+;/g, " ")
    .replaceAll(names, " ")
    .match(/\b[A-Za-z]+[a-z][A-Za-z]*\b/g);
  return [...new Set(words)];
}
