import * as z from "zod/mini";
import { deleteCollection, getDeletionPreview } from "#actions/deletions.ts";
import { AdminPage, type PageContext } from "#admin/layout.tsx";
import { page } from "#admin/page.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { DeletionPreview } from "#store/data/deletions.ts";
import { Input } from "#html/inputs.tsx";
import { collectionPath, dataAssets } from "./layout.tsx";

interface DeletePageProps {
  frame: PageContext;
  kind: CollectionKind;
  key: string;
  preview: DeletionPreview;
  problem?: Problem | undefined;
}

/** Shows what a deletion removes, in numbers, and requires the key as confirmation. */
function DeletePage({ frame, kind, key, preview, problem: error }: DeletePageProps) {
  const { definitionDeletion: text, terms } = frame.text;
  const { many, one, itemCount: countItems } = terms.collections[kind];
  const path = collectionPath[kind];
  const { name, itemCount, fieldCount, credentials, webhooks } = preview;
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={text.title(name)}
      crumbs={[
        [many, path],
        [name, `${path}/${key}`],
      ]}
      problem={error}
      labels={{ confirm: text.confirm(one) }}
    >
      <form method="post" action={`${path}/${key}/delete`} class="inputs">
        <p>{text.effect(one)}</p>
        <ul>
          <li>{text.losses.items(countItems(itemCount))}</li>
          <li>{text.losses.fields(fieldCount)}</li>
          {credentials > 0 ? <li>{text.losses.credentials(credentials)}</li> : null}
          {webhooks > 0 ? <li>{text.losses.webhooks(webhooks)}</li> : null}
        </ul>
        <p class="muted">{text.erased}</p>
        <Input
          name="confirm"
          label={text.confirm(one)}
          hint={text.confirmHint(key)}
          value=""
          autocomplete="off"
          required
        />
        <p class="actions">
          <button type="submit" class="danger">
            {text.submit(one)}
          </button>
          <a class="button quiet" href={`${path}/${key}/settings`}>
            {terms.cancel}
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
    async act({ ctx, param, text }, { confirm }) {
      const key = param("key");
      const { definition } = await deleteCollection(ctx, kind, key, confirm.trim());
      return {
        to: "/admin/deleted",
        flash: text.definitionDeletion.done(definition.name),
        document: null,
      };
    },
  });
  return { show, remove };
}
