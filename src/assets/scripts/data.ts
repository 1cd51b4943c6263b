import {
  addRows,
  continueImport,
  findAsWritten,
  moveRows,
  showDownloads,
  showTotals,
} from "./lists.ts";
import { editCells, selectRows } from "./items.ts";
import { selectFieldsOfView } from "./fields-of-view.ts";
import { closeDrops } from "./drops.ts";
import { focusFirstInput } from "./focus-first.ts";
import { suggestRecords } from "./suggest-records.ts";
import { uploadFiles } from "./upload-files.ts";

/** Enhances the pages of definitions and items. All pages also work without scripts. */

addRows();
moveRows();
showTotals();
showDownloads();
continueImport();
closeDrops();
findAsWritten();
suggestRecords();
selectRows();
editCells();
uploadFiles();
selectFieldsOfView();
focusFirstInput();
