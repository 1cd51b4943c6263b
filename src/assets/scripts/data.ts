import { addRows, continueImport, findAsWritten, showDownloads } from "./lists.ts";
import { closeDrops } from "./page.ts";
import { DefinitionEditor } from "./editor.ts";

/** A little help with definitions and their data; every page does its work without. */


addRows();
showDownloads();
continueImport();
closeDrops();
findAsWritten();
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-editor]")) {
  void new DefinitionEditor(form);
}
