import { lazy } from "#domain/lazy.ts";
import type { Catalogue } from "#admin/language/en/index.ts";
import { account } from "./account.ts";
import { files } from "./files.ts";
import { audit } from "./audit.ts";
import { bulk } from "./bulk.ts";
import { calls } from "./calls.ts";
import { credentialAccess } from "./credential-access.ts";
import { credentials } from "./credentials.ts";
import { databases } from "./databases.ts";
import { erasure } from "./erasure.ts";
import { filters } from "./filters.ts";
import { frame } from "./frame.ts";
import { itemImport } from "./item-import.ts";
import { itemList } from "./item-list.ts";
import { overview } from "./overview.ts";
import { secrets } from "./secrets.ts";
import { signIn } from "./sign-in.ts";
import { summary } from "./summary.ts";
import { terms } from "./terms.ts";
import { viewDescription } from "./view-description.ts";
import { webhooks } from "./webhooks.ts";

/** The Japanese texts. docs/administration.md has the glossary. */
export const ja = lazy((): Catalogue => ({
  account: account(),
  files: files(),
  audit: audit(),
  bulk: bulk(),
  calls: calls(),
  credentialAccess: credentialAccess(),
  credentials: credentials(),
  databases: databases(),
  erasure: erasure(),
  filters: filters(),
  frame: frame(),
  itemImport: itemImport(),
  itemList: itemList(),
  overview: overview(),
  secrets: secrets(),
  signIn: signIn(),
  summary: summary(),
  terms: terms(),
  viewDescription: viewDescription(),
  webhooks: webhooks(),
}));
