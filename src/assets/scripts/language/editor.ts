import { inLanguage } from "./in-language.ts";

/** The texts of editor.ts and of what it imports. */
export const editorText = inLanguage(
  {
    insert: (name: string) => `Insert ${name}`,
    names: "Names",
    optionsHint: "Leave the stored value blank to store the label. Paste a list to add several.",
    addOption: "Add option",
    option: (position: number) => `Option ${position}`,
    storedValue: "Stored value",
    storedValueOf: (position: number) => `Stored value of option ${position}`,
    actions: { up: "Move up", down: "Move down", remove: "Remove" },
    actionOn: (action: string, position: number) => `${action}: option ${position}`,
  },
  {
    insert: (name) => `${name} を挿入`,
    names: "フィールドと関数",
    optionsHint:
      "保存する値が空欄の場合は、ラベルが保存されます。一覧を貼り付けると、まとめて追加できます。",
    addOption: "選択肢を追加",
    option: (position) => `選択肢 ${position}`,
    storedValue: "保存する値",
    storedValueOf: (position) => `選択肢 ${position} の保存する値`,
    actions: { up: "上へ移動", down: "下へ移動", remove: "削除" },
    actionOn: (action, position) => `${action}：選択肢 ${position}`,
  },
);
