/** A little help with definitions and their data; every page does its work without. */

import { addRows } from "./add-rows";
import { closeDrops } from "./close-drops";
import { continueImport } from "./continue-import";
import { DefinitionEditor } from "./editor/edit-definition";
import { findAsWritten } from "./find-as-written";
import { showDownloads } from "./show-downloads";

addRows();
showDownloads();
continueImport();
closeDrops();
findAsWritten();
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-editor]")) {
  void new DefinitionEditor(form);
}
