const maxListed = 4;

/**
 * Returns the labels of the first options of a choice field. Expects the format of the editor, with one option per
 * line.
 */
export function optionLabels(text: string): string[] {
  const labels = text.split("\n").flatMap((line) => {
    const [label = ""] = line.split(/(?<!\\)\|/);
    return label.trim() === "" ? [] : [label.trim().replaceAll(/\\([\\|])/g, "$1")];
  });
  return labels.length > maxListed ? [...labels.slice(0, maxListed), "…"] : labels;
}
