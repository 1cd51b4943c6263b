import { lazy } from "#domain/lazy.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { account } from "./account.ts";
import { files } from "./files.ts";
import { audit } from "./audit.ts";
import { bulk } from "./bulk.ts";
import { databases } from "./databases.ts";
import { erasure } from "./erasure.ts";
import { filters } from "./filters.ts";
import { frame } from "./frame.ts";
import { itemImport } from "./item-import.ts";
import { itemList } from "./item-list.ts";
import { overview } from "./overview.ts";
import { signIn } from "./sign-in.ts";
import { summary } from "./summary.ts";
import { terms } from "./terms.ts";

/** The Japanese texts. docs/administration.md has the glossary. */
export const ja = lazy((): Catalogue => ({
  account: account(),
  files: files(),
  audit: audit(),
  bulk: bulk(),
  databases: databases(),
  erasure: erasure(),
  filters: filters(),
  frame: frame(),
  itemImport: itemImport(),
  itemList: itemList(),
  overview: overview(),
  signIn: signIn(),
  summary: summary(),
  terms: terms(),
}));
