/** A little help where scripts run; every page does its work without. */

import { choose } from "./choose";
import { copyTexts } from "./copy-texts";
import { tellZone } from "./tell-zone";

tellZone();
choose();
copyTexts();

// Indexing goes on by itself: the page looks again.
if (document.querySelector("progress[data-refresh]")) setTimeout(() => location.reload(), 2000);
