import { inLanguage } from "./in-language.ts";

/** The texts of incomplete-inputs.ts, by the type of the input. */
export const incompleteText = inLanguage(
  {
    date: "Enter a full, valid date.",
    "datetime-local": "Enter a full, valid date and time.",
    time: "Enter a full, valid time.",
    month: "Enter a full, valid month.",
    number: "Enter a number.",
  },
  {
    date: "年、月、日をすべて正しく入力してください。",
    "datetime-local": "日付と時刻をすべて正しく入力してください。",
    time: "時刻をすべて正しく入力してください。",
    month: "年と月を正しく入力してください。",
    number: "数値を入力してください。",
  },
);
