import * as z from "zod/mini";
import { deleteCollection, getDeletionPreview } from "#actions/deletions.ts";
import { AdminPage, type PageContext } from "#admin/layout.tsx";
import { page } from "#admin/page.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { DeletionPreview } from "#store/data/deletions.ts";
import { Input } from "#html/inputs.tsx";
import { formatCount } from "#html/viewer.tsx";
import { collectionTerms, dataAssets } from "./layout.tsx";

interface DeletePageProps {
  frame: PageContext;
  kind: CollectionKind;
  key: string;
  preview: DeletionPreview;
  problem?: Problem | undefined;
}

const counted = (count: number, noun: string) =>
  `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Says what a deletion takes away, in numbers, and asks for the key. */
function DeletePage({ frame, kind, key, preview, problem: error }: DeletePageProps) {
  const { path, many: plural, one, item } = collectionTerms[kind];
  const { name, itemCount, fieldCount, credentials, webhooks } = preview;
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={`Delete ${name}`}
      crumbs={[
        [plural, path],
        [name, `${path}/${key}`],
      ]}
      problem={error}
      labels={{ confirm: `Key of the ${one}` }}
    >
      <form method="post" action={`${path}/${key}/delete`} class="inputs">
        <p>This deletes the {one} at once, everywhere. You can restore it for 7 days.</p>
        <ul>
          <li>{counted(itemCount, item)} with their history</li>
          <li>{counted(fieldCount, "field")}</li>
          <li>{counted(credentials, "credential")} that name it lose access to it</li>
          <li>{counted(webhooks, "webhook")} that name it no longer send its changes</li>
        </ul>
        <p class="muted">
          After 7 days all of this is erased for good. Until then the key stays taken.
        </p>
        <Input
          name="confirm"
          label={`Key of the ${one}`}
          hint={`Type ${key} to confirm`}
          value=""
          autocomplete="off"
          required
        />
        <p class="actions">
          <button type="submit" class="danger">
            Delete this {one}
          </button>
          <a class="button quiet" href={`${path}/${key}/settings`}>
            Cancel
          </a>
        </p>
      </form>
    </AdminPage>
  );
}

/** The page that confirms the deletion of an app or form. */
export function deletePage(kind: CollectionKind) {
  const { show, form } = page({
    load: async ({ ctx, param }) => ({
      key: param("key"),
      preview: await getDeletionPreview(ctx, kind, param("key")),
    }),
    document: ({ key, preview }) => ({
      key,
      name: preview.name,
      items: preview.itemCount,
      fields: preview.fieldCount,
      credentials: preview.credentials,
      webhooks: preview.webhooks,
    }),
    render: (frame, data, attempt) => (
      <DeletePage {...{ frame, kind, ...data }} problem={attempt?.problem} />
    ),
  });
  const remove = form({
    fields: () => z.object({ confirm: z.string().check(z.maxLength(100)) }),
    async act({ ctx, param }, { confirm }) {
      const key = param("key");
      await deleteCollection(ctx, kind, key, confirm.trim());
      return {
        to: "/admin/deleted",
        flash: `${key} is deleted. You can restore it for 7 days.`,
        document: null,
      };
    },
  });
  return { show, remove };
}
