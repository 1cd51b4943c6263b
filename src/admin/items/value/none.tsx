export const None = () => <span class="muted">–</span>;
