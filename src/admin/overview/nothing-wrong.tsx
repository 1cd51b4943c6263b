import { Empty } from "../../html/parts/empty";

/** Where nothing needs attention; with `begins`, what somebody does first. */
export function NothingWrong({ begins }: { begins: boolean }) {
  return (
    <Empty>
      <p>
        Nothing at the moment. Refused calls, credentials that expire, forms that fill up and
        webhooks that fail stand here.
      </p>
      {begins ? (
        <>
          <p>Begin with a form, for what people send, or an app, for records of other systems.</p>
          <p class="actions">
            <a class="button" href="/admin/forms?new">
              New form
            </a>
            <a class="button quiet" href="/admin/apps?new">
              New app
            </a>
          </p>
        </>
      ) : null}
    </Empty>
  );
}
