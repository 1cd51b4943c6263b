/** Further attributes of an input. */
export interface Attributes {
  type?: string;
  required?: boolean;
  readonly?: boolean;
  disabled?: boolean;
  autofocus?: boolean;
  spellcheck?: boolean;
  placeholder?: string;
  inputmode?: "decimal" | "text" | "email" | "numeric" | "tel" | "url";
  autocomplete?: string;
  pattern?: string;
  accept?: string;
  list?: string;
  class?: string;
  maxlength?: number;
  minlength?: number | undefined;
  min?: string | number;
  max?: string | number;
  step?: string | number;
  rows?: number;
  [data: `data-${string}`]: string | number | undefined;
}
