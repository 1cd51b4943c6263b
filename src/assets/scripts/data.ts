import {
  addRows,
  continueImport,
  findAsWritten,
  moveRows,
  showDownloads,
  showTotals,
} from "./lists.ts";
import { closeDrops } from "./drops.ts";
import { suggestRecords } from "./suggest-records.ts";
import { DefinitionEditor } from "./editor.ts";

/** Enhances the pages of definitions and items. All pages also work without scripts. */

addRows();
moveRows();
showTotals();
showDownloads();
continueImport();
closeDrops();
findAsWritten();
suggestRecords();
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-editor]")) {
  void new DefinitionEditor(form);
}
