import {
  createServer,
  type IncomingHttpHeaders,
  type Server as Http,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
}

/** A webhook receiver on this machine, which `npm run dev` allows. */
export class Receiver {
  readonly all: Received[] = [];
  readonly taken: Received[] = [];
  answer: (response: ServerResponse, count: number, received: Received) => boolean = ok;
  readonly #http: Http;

  constructor() {
    this.#http = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const received = { headers: request.headers, text: Buffer.concat(chunks).toString() };
        this.all.push(received);
        if (this.answer(response, this.all.length, received)) this.taken.push(received);
      });
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/hook`;
  }

  forget(): void {
    this.all.length = 0;
    this.taken.length = 0;
  }

  close(): void {
    this.#http.closeAllConnections();
    this.#http.close();
  }
}

export const ok = (response: ServerResponse) => {
  response.writeHead(200).end("taken");
  return true;
};
