import { inLanguage } from "./in-language.ts";

/** The texts of lists.ts. */
export const listText = inLanguage(
  { download: "Download", downloading: "Downloading… ", downloaded: "Downloaded." },
  {
    download: "ダウンロード",
    downloading: "ダウンロードしています… ",
    downloaded: "ダウンロードしました。",
  },
);
