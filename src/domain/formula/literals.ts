/** Texts, names, numbers with a fraction or another form, indexes into lists; and whole numbers, in the group. */
const tokens =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\d*\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|0[xX][\da-fA-F]+u?|\d+u|(?<=[\w)\]]\s*)\[\s*\d+\s*\]|(\d+)/g;

/**
 * Writes the whole numbers of a formula as decimals, so that they mix with numbers of fields everywhere: CEL keeps
 * the two apart. `before` gives the place in the formula as it was written.
 */
export function decimalLiterals(formula: string): {
  text: string;
  before(position: number | undefined): number | undefined;
} {
  const added: number[] = [];
  const text = formula.replace(tokens, (token: string, whole: string | undefined, at: number) => {
    if (whole === undefined) return token;
    added.push(at + token.length);
    return `${whole}.0`;
  });
  return {
    text,
    before(position) {
      if (position === undefined) return undefined;
      return position - 2 * added.filter((end, index) => end + 2 * index < position).length;
    },
  };
}
