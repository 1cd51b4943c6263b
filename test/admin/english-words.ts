/** Names, formats, codes and examples, which are the same in every language. */
const names = [
  /https?:\/\/[\w./-]+|\S+@\S+|\$status, amount|\w+[:.]\w+|…\w{8}/,
  /\b(?:Edge Forms|English|Cloudflare Access|Model Context Protocol|Idempotency-Key|Ctrl|Test)\b/,
  /\b(?:Webhooks?|OpenAPI|OAuth|Python|TypeScript|Web|curl|https|image|application\/pdf|Asia\/\w+)\b/,
  /\b(?:IDs?|ms|ja|SUB-\d+)\b/,
];
const sameInEveryLanguage = new RegExp(names.map(({ source }) => source).join("|"), "g");

/** Values of attributes that only programs read. */
const isData = (text: string) => /^\d{4}-\d\d-\d\dT|^(?:sub|rec|mem)_|^[0-9A-Z]{26}$/.test(text);

/**
 * The English words that people read on a page in Japanese: in its texts and labels. What its author wrote is in
 * capitals or in <bdi>, and code is in elements for code.
 */
export function englishWords(html: string): string[] {
  const body = html
    .slice(html.indexOf("<body"))
    .replaceAll(/<(script|style|template|title|code|pre|textarea)\b.*?<\/\1>/gs, " ")
    // The names of time zones are the same in every language.
    .replaceAll(/<select[^>]*name="time_zone".*?<\/select>/gs, " ");
  const labels = [...body.matchAll(/(?:aria-label|placeholder|title|data-label)="([^"]*)"/g)]
    .map(([, text = ""]) => text)
    .filter((text) => !isData(text));
  const texts = body.replaceAll(/<bdi\b.*?<\/bdi>/gs, " ").replaceAll(/<[^>]*>/g, " ");
  const words = [texts, ...labels]
    .join("\n")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|&\w+;/g, " ")
    // IDs can contain groups of letters only.
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\b(?:msg|whk|sub|rec|mem)_\w+/g, " ")
    .replaceAll(sameInEveryLanguage, " ")
    .match(/\b[A-Za-z]*[a-z][A-Za-z]*\b/g);
  return [...new Set(words)].filter((word) => word.length > 1).toSorted();
}
