export { experimental_readRawConfig } from "wrangler";
