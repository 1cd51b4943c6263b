/** A little help with definitions and their data; every page does its work without. */

import { addRows } from "./add-rows";
import { closeDrops } from "./close-drops";
import { DefinitionEditor } from "./edit-definition";
import { showDownloads } from "./show-downloads";

addRows();
showDownloads();
closeDrops();
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-editor]")) {
  void new DefinitionEditor(form);
}
