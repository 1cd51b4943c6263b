import { inLanguage } from "./in-language.ts";

/** The texts of list-options.ts. */
export const optionText = inLanguage(
  {
    hint: "Leave the stored value blank to store the label. Paste a list to add several.",
    add: "Add option",
    label: "Label",
    option: (number: number) => `Option ${number}`,
    valueOf: (number: number) => `Stored value of option ${number}`,
    value: "Stored value",
    actions: { up: "Move up", down: "Move down", remove: "Remove" },
    actionOn: (action: string, number: number) => `${action}: option ${number}`,
  },
  {
    hint: "保存する値が空欄の場合は、ラベルを保存します。リストを貼り付けると、まとめて追加できます。",
    add: "選択肢を追加",
    label: "ラベル",
    option: (number) => `選択肢 ${number}`,
    valueOf: (number) => `選択肢 ${number} の保存する値`,
    value: "保存する値",
    actions: { up: "上へ移動", down: "下へ移動", remove: "削除" },
    actionOn: (action, number) => `${action}：選択肢 ${number}`,
  },
);
