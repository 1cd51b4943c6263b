import { Outside } from "./outside";

/** An invitation that leads nowhere, for somebody who followed it. */
export function GonePage() {
  return (
    <Outside title="This invitation has ended">
      <p>
        It was used already, was withdrawn, or is older than seven days. If you have joined, sign
        in; otherwise ask whoever invited you for another link.
      </p>
      <p>
        <a class="button" href="/admin/sign-in">
          Sign in
        </a>
      </p>
    </Outside>
  );
}
