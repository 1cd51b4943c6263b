const maxListed = 4;

/** The labels of the first options of a choice field, as the editor writes them: one on each line. */
export function optionLabels(text: string): string[] {
  const labels = text.split("\n").flatMap((line) => {
    const [label = ""] = line.split(/(?<!\\)\|/);
    return label.trim() === "" ? [] : [label.trim().replaceAll(/\\([\\|])/g, "$1")];
  });
  return labels.length > maxListed ? [...labels.slice(0, maxListed), "…"] : labels;
}
