/** A little help where scripts run; every page does its work without. */

import { addRows } from "./add-rows";
import { checkFormulas } from "./check-formulas";
import { copyTexts } from "./copy-texts";
import { showDownloads } from "./show-downloads";

// Acts that cannot be undone are asked about first.
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-confirm]")) {
  form.addEventListener("submit", (event) => {
    // oxlint-disable-next-line no-alert
    if (!confirm(form.dataset["confirm"])) event.preventDefault();
  });
}

copyTexts();
addRows();
checkFormulas();
showDownloads();

// Indexing goes on by itself: the page looks again.
if (document.querySelector("progress[data-refresh]")) setTimeout(() => location.reload(), 2000);
