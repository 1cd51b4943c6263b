/** A little help where scripts run; every page does its work without. */

import { addRows } from "./add-rows";
import { checkFormulas } from "./check-formulas";
import { choose } from "./choose";
import { copyTexts } from "./copy-texts";
import { showDownloads } from "./show-downloads";
import { tellZone } from "./tell-zone";

tellZone();
choose();
copyTexts();
addRows();
checkFormulas();
showDownloads();

// Indexing goes on by itself: the page looks again.
if (document.querySelector("progress[data-refresh]")) setTimeout(() => location.reload(), 2000);
